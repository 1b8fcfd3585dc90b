"""What the life of an index costs at different sizes: clone, apply, seal, swap, prune, small runs.

    PYTHONPATH=include python benchmarks/lifecycle.py 1000 100000

For each number of documents a site of its own is filled with small ones (a change set, published as
a run would do it). Then ten times a whole run of a script adds ten pages that are not followed, as
the shell runs it, against a website of this process. The time of each kind of request to OpenSearch
is that of the median run; ``disk`` are the files of the newest generation that it shares with none.
A million documents take some minutes and about 1 GB (``--heap 2048``).
"""

from __future__ import annotations

import argparse
import datetime as dt
import statistics
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml
from opensearchpy import Transport

from local_opensearch import Node
from site_indexer.index_store.change_sets import ChangeRecord, ChangeSet
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publishing import PublishRequest, publish
from site_indexer.index_store.retention import prune
from site_indexer.index_store.setup import ensure_shared, ensure_site
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.run import run
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators
from site_indexer.urls import document_id

RUNS = 10
PAGES = 10
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
STEPS = {
    "/_clone/": "clone",
    "/_reindex": "apply",
    "/_settings": "seal",
    "/_aliases": "swap",
}


class Website(ThreadingHTTPServer):
    """Small pages at any path, and an index script for each site at ``/<site>.txt``."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.scripts: dict[str, str] = {}


class Handler(BaseHTTPRequestHandler):
    server: Website
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        script = self.server.scripts.get(self.path)
        text = script or f"<title>{self.path}</title><main>{words(self.path)}</main>"
        body = text.encode()
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/plain" if script else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep quiet."""


def words(seed: object) -> str:
    return " ".join(f"word{(hash((seed, n)) % 5000)}" for n in range(40))


@contextmanager
def served() -> Iterator[Website]:
    website = Website()
    threading.Thread(target=website.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield website
    finally:
        website.shutdown()
        website.server_close()


class Stopwatch:
    """Seconds of each kind of request, while it is on."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        perform = Transport.perform_request
        watch = self

        def timed(transport: Transport, method: str, url: str, **more: object) -> object:
            started = time.perf_counter()
            try:
                return perform(transport, method, url, **more)  # type: ignore[arg-type]
            finally:
                for part, step in STEPS.items():
                    if part in url and method != "GET":
                        watch.seconds[step] += time.perf_counter() - started

        setattr(Transport, "perform_request", timed)  # noqa: B010

    def take(self) -> dict[str, float]:
        taken, self.seconds = dict(self.seconds), defaultdict(float)
        return taken


def own_bytes(collaborators: Collaborators, node_home: Path, site: str) -> int:
    """Bytes on disk of the files that the live generation shares with no other by a hard link."""
    state = next(iter(collaborators.client.indices.get(index=f"{site}.live").values()))
    uuid = state["settings"]["index"]["uuid"]
    found = [path.lstat() for path in node_home.glob(f"**/indices/{uuid}/**/*") if path.is_file()]
    return sum(each.st_blocks * 512 for each in found if each.st_nlink == 1)


def write_site(folder: Path, site: str, website: Website) -> None:
    definition = {
        "id": site,
        "name": f"{site}",
        "owner": "benchmarks",
        "script": {"url": f"{website.url}/{site}.txt"},
        "entry_points": [f"{website.url}/"],
        "crawl": {"delay": "0s", "allow_networks": ["127.0.0.0/8"], "sitemaps": False},
        "index": {"replicas": 0},
    }
    (folder / f"{site}.yaml").write_text(yaml.safe_dump(definition))


def fill(collaborators: Collaborators, site: str, count: int, base_url: str) -> None:
    """Publish that many small documents."""
    client, names = collaborators.client, SiteNames(site)
    ensure_shared(client)
    ensure_site(client, site, START, replicas=0)
    change_set = ChangeSet.create(client, names, "f" * 16)
    version = int(START.timestamp() * 1000)
    with change_set.writer() as writer:
        for number in range(count):
            url = f"{base_url}/filled/{number}"
            document = {
                "url": url,
                "site": site,
                "title": f"Page {number}",
                "text": words(number),
                "content_digest": f"{number:040x}",
                "fetched_at": "2026-01-01T00:00:00Z",
                "block_date": "2026-01-01T00:00:00Z",
                "tier": "full",
            }
            writer.put(
                ChangeRecord(
                    document_id=document_id(url),
                    url=url,
                    version_ms=version,
                    action="write",
                    block=0,
                    counts_as=START,
                    document=document,
                    facts={"outcome": "indexed", "line": 2, "cause": "add", "named": True},
                )
            )
    publish(
        client,
        PublishRequest(
            site=site,
            target=Target.LIVE,
            digest="f" * 16,
            run_id="shell__fill",
            watermark_before=None,
            watermark_after=None,
            script_url="",
            script_digest="",
            fresh_start=False,
            replicas=0,
            shards=1,
            now=START,
        ),
    )
    change_set.drop()


def measure(
    collaborators: Collaborators, node_home: Path, website: Website, count: int, watch: Stopwatch
) -> dict[str, float]:
    site = f"size-{count}"
    write_site(collaborators.sites_dir, site, website)
    started = time.perf_counter()
    fill(collaborators, site, count, website.url)
    figures = {"fill": time.perf_counter() - started}
    blocks: list[str] = []
    runs: list[dict[str, float]] = []
    settle(collaborators)
    for number in range(RUNS):
        block = START + dt.timedelta(days=number + 1)
        blocks.append(f"date {block:%a, %d %b %Y %H:%M:%S} GMT")
        blocks += [f"add {website.url}/added/{number}-{page} nofollow" for page in range(PAGES)]
        website.scripts[f"/{site}.txt"] = "\n".join([*blocks, ""])
        watch.take()
        started = time.perf_counter()
        result = run(
            collaborators,
            RunRequest(site, Target.LIVE, f"shell__{number}", block + dt.timedelta(hours=1)),
        )
        runs.append({"run": time.perf_counter() - started, **watch.take()})
        if result.counts["indexed"] != PAGES:
            raise SystemExit(f"expected {PAGES} pages to be indexed: {result}")
    for step in ("run", *STEPS.values()):
        figures[step] = statistics.median(each.get(step, 0.0) for each in runs)
    figures["disk, MB"] = own_bytes(collaborators, node_home, site) / 2**20
    started = time.perf_counter()
    removed = prune(collaborators.client, site, keep=1, now=START + dt.timedelta(days=400))
    figures["prune one"] = (time.perf_counter() - started) / max(1, len(removed))
    return figures


def settle(collaborators: Collaborators) -> None:
    """Let merges that filling has begun come to their end."""
    client = collaborators.client
    while any(
        each["indices"]["merges"]["current"]
        for each in client.nodes.stats(metric="indices")["nodes"].values()
    ):
        time.sleep(0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", type=int, nargs="+", metavar="DOCUMENTS")
    parser.add_argument("--heap", type=int, default=1024, help="of OpenSearch, in MB")
    arguments = parser.parse_args()
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder, served() as website:
        sites, home = Path(folder) / "sites", Path(folder) / "node"
        sites.mkdir()
        with Node(home, http_port=0, heap_mb=arguments.heap) as node:
            settings = Settings.from_environment({}, sites_dir=sites, opensearch_url=node.url)
            collaborators = build_collaborators(settings=settings)
            rows = {
                size: measure(collaborators, home, website, size, watch) for size in arguments.sizes
            }
    print(f"{'documents':>20}" + "".join(f"{size:>12,}" for size in rows))
    for name in next(iter(rows.values())):
        unit = "" if "MB" in name else ", s"
        print(f"{name + unit:>20}" + "".join(f"{row[name]:>12.3f}" for row in rows.values()))


if __name__ == "__main__":
    main()
