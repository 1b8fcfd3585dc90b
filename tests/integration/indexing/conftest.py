"""A demo site of its own, a site file for it, and the use cases, for each test."""

from __future__ import annotations

import datetime as dt
import itertools
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from demo_site.faults import Fault
from demo_site.server import RunningSite, running
from site_indexer.index_store.names import Target
from site_indexer.indexing import inspection
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import RunRequest, RunResult
from site_indexer.indexing.plan_making import make_plan
from site_indexer.indexing.reviewing import review
from site_indexer.indexing.run import STEPS, run
from site_indexer.indexing.script_reading import read_script
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators
from site_indexer.planning.model import Window

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def write_site(folder: Path, site: str, script: str, entry: str, **more: Any) -> None:
    """Write the file of a site on this machine; ``reading`` are further fields of ``script``."""
    definition = {
        "id": site,
        "name": f"Site {site}",
        "owner": "team@example.com",
        "script": {"url": script, **more.pop("reading", {})},
        "entry_points": [entry],
        "masks": ["exclude *.zip"],
        "crawl": {"delay": "0s", "concurrency": 4, "allow_networks": ["127.0.0.0/8"]},
        "extract": {"content": ["main"]},
        "index": {"replicas": 0},
    }
    definition.update(more)
    (folder / f"{site}.yaml").write_text(yaml.safe_dump(definition))


@dataclass
class Workbench:
    """One site with its own server and indexes."""

    site: str
    web: RunningSite
    collaborators: Collaborators
    opensearch_url: str
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    fields: dict[str, Any] = field(default_factory=dict)
    """Further fields of the site file."""

    def let_much_go(self) -> None:
        """Have the brake not ask, for tests that remove most of a site of a few pages."""
        self.fields["brake"] = {"max_removed": "100%", "max_commanded": "100%"}
        self.write_file()

    def twin(self, name: str = "twin") -> Workbench:
        """Another site of the same pages, with indexes of its own."""
        twin = replace(self, site=f"{self.site}-{name}", numbers=itertools.count(1))
        twin.write_file()
        return twin

    def write_file(self) -> None:
        folder, url = self.collaborators.sites_dir, self.web.url
        write_site(folder, self.site, f"{url}/indexlist.txt", f"{url}/", **self.fields)

    def request(self, **options: Any) -> RunRequest:
        """A request of a run that has not been before."""
        options.setdefault("target", Target.LIVE)
        options.setdefault("now", NOW)
        return RunRequest(site=self.site, run_id=f"shell__test-{next(self.numbers)}", **options)

    def run(self, **options: Any) -> RunResult:
        """A whole run."""
        return self.run_request(self.request(**options))

    def run_request(self, request: RunRequest) -> RunResult:
        """The whole run of a request."""
        return run(self.collaborators, request)

    def prepare(self, request: RunRequest) -> str:
        """Every step of a run but publishing; returns the digest of its change set."""
        read = read_script(self.collaborators, request)
        assert read.digest is not None
        planned = make_plan(self.collaborators, request, read.digest)
        for action, step in STEPS.items():
            if action.value in planned.action_types:
                step(self.collaborators, request, read.digest, action)
        review(self.collaborators, request, read.digest)
        return read.digest

    def window(self, from_: dt.datetime, to: dt.datetime) -> RunResult:
        """A whole run of a window."""
        return self.run(window=Window(from_, to))

    def documents(self, target: Target = Target.LIVE) -> dict[str, dict[str, Any]]:
        """The documents behind an alias, by URL."""
        listed = inspection.documents(self.collaborators, self.site, target=target, mask=None)
        return {document["url"]: document for document in listed}

    def comparable(self, target: Target = Target.LIVE) -> dict[str, tuple[str, str]]:
        """Of each document what must not depend on how a run came about: title and digest."""
        return {
            url: (document["title"], document["content_digest"])
            for url, document in self.documents(target).items()
        }

    def watermark(self) -> dt.datetime | None:
        """The watermark of live."""
        return self.collaborators.watermarks.get(self.site, Target.LIVE)

    def generation(self) -> str | None:
        """The generation that searchers see, or None."""
        shown = [
            each["generation"]
            for each in inspection.generations(self.collaborators, self.site)
            if "live" in each["current"]
        ]
        return shown[0] if shown else None

    def use_script(self, *lines: str) -> None:
        """Let the site serve this script in place of its own; ``{web}`` stands for its address."""
        text = "\n".join(lines).replace("{web}", self.web.url) + "\n"
        self.web.faults.set("/indexlist.txt", Fault(status=200, body=text.encode()))


@pytest.fixture
def workbench(opensearch_url: str, tmp_path: Path) -> Iterator[Workbench]:
    with workbench_on(opensearch_url, tmp_path) as bench:
        yield bench
        for path in bench.collaborators.sites_dir.iterdir():
            remove_indexes(bench.collaborators, path.stem)


@contextmanager
def workbench_on(opensearch_url: str, tmp_path: Path) -> Iterator[Workbench]:
    """A site with its own server, whose indexes are to be in that OpenSearch."""
    site = f"bench-{secrets.token_hex(4)}"
    sites = tmp_path / "sites"
    sites.mkdir()
    settings = Settings.from_environment({}, sites_dir=sites, opensearch_url=opensearch_url)
    collaborators = build_collaborators(settings=settings)
    with running(tmp_path / "state") as web:
        bench = Workbench(site, web, collaborators, opensearch_url)
        bench.write_file()
        yield bench


def remove_indexes(collaborators: Collaborators, site: str) -> None:
    """Delete the indexes of a test's site, by their names."""
    client = collaborators.client
    names = [
        row["index"]
        for row in client.cat.indices(index=f"{site}.*", params={"format": "json"})
        if row["index"].startswith(f"{site}.")
    ]
    if names:
        client.indices.delete(index=",".join(names))
