"""What push live and roll back cost on a large index: to look, and to swap once asked.

    PYTHONPATH=include python benchmarks/live_changes.py 100000

A site is filled with so many small documents, and a staged index made that lacks a ninth of them,
so that the brake has all to compare and much to tell. Then push live, roll back to the
generation before, and roll back to one that was closed: each looked at first, as people do, and
then done. ``requested`` is all that a person waits for once they have agreed.
"""

from __future__ import annotations

import argparse
import datetime as dt
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lifecycle import START, fill, served, settle, write_site

from local_opensearch import Node
from site_indexer.index_store.generations import current
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.holding import release_hold
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.pushing import look_at_push, push_live
from site_indexer.indexing.rolling_back import look_at_rollback, roll_back
from site_indexer.indexing.run import run
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators

SITE = "large"


def timed(name: str, what: Callable[..., object], *args: object, **named: object) -> None:
    """Do it, and say how long it took."""
    started = time.perf_counter()
    what(*args, **named)
    print(f"{name:>45} {time.perf_counter() - started:8.2f} s", flush=True)


def measure(collaborators: Collaborators, url: str, scripts: dict[str, str], count: int) -> None:
    """Fill, stage, and change live to and fro."""
    fill(collaborators, SITE, count, url)
    settle(collaborators)
    client, names = collaborators.client, SiteNames(SITE)
    full = current(client, names, Target.LIVE)
    now = START + dt.timedelta(days=2)
    scripts[f"/{SITE}.txt"] = (
        f"date {START + dt.timedelta(days=1):%a, %d %b %Y %H:%M:%S} GMT\n"
        f"deletemask {url}/filled/1\nadd {url}/added/one nofollow\n"
    )
    staged = run(collaborators, RunRequest(SITE, Target.STAGED, "shell__staged", now))
    print(f"{count:,} documents: {staged}")
    push = {"run_id": "shell__push", "now": now}
    timed("push live, looked at (compares all)", look_at_push, collaborators, SITE, **push)
    timed("push live, requested", push_live, collaborators, SITE, accept=True, **push)
    pushed = current(client, names, Target.LIVE)
    back = {"run_id": "shell__back", "by": "a person", "now": now, "accept": True}
    timed("roll back, requested", roll_back, collaborators, SITE, to=full, **back)
    release_hold(collaborators, SITE)
    timed("forward again, requested", roll_back, collaborators, SITE, to=pushed, **back)
    release_hold(collaborators, SITE)
    client.indices.close(index=full)
    timed("back to a closed generation, requested", roll_back, collaborators, SITE, to=full, **back)
    look = {"run_id": "shell__look", "to": pushed}
    timed("roll back, looked at (compares all)", look_at_rollback, collaborators, SITE, **look)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("documents", type=int)
    parser.add_argument("--heap", type=int, default=1024, help="of OpenSearch, in MB")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, served() as website:
        sites = Path(folder) / "sites"
        sites.mkdir()
        with Node(Path(folder) / "node", http_port=0, heap_mb=arguments.heap) as node:
            settings = Settings.from_environment({}, sites_dir=sites, opensearch_url=node.url)
            collaborators = build_collaborators(settings=settings)
            write_site(sites, SITE, website)
            measure(collaborators, website.url, website.scripts, arguments.documents)


if __name__ == "__main__":
    main()
