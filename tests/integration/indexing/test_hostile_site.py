"""One run of a site that has everything that should not be, with good pages between.

Time and memory stay bounded, each page has the right outcome and a line in the log, what could not
be read keeps its document, and the good pages are indexed (docs/spec/04-crawling.md, 4.1).
"""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.indexing.crawl_settings import PAUSES_VARIABLE
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators
from tests.integration.indexing import measured_run
from tests.integration.indexing.conftest import NOW, remove_indexes, write_site
from tests.integration.indexing.hostile_site import (
    CHAIN,
    GOOD,
    MAX_BYTES,
    STORM,
    HostileSite,
    hostile_site,
)

ROOT = Path(__file__).parents[3]
MOST_SECONDS = 240
MOST_MEMORY = 350 * 2**20
"""Pages of 12 MB are allowed, four at once, and each is read, unpacked, parsed and stored."""

FIRST = "date Tue, 06 Jan 2026 10:00:00 GMT\nadd {url}\n"
SECOND = f"{FIRST}\ndate Wed, 07 Jan 2026 10:00:00 GMT\nadd {{url}}\n"


@dataclass(frozen=True)
class Aftermath:
    """What two runs left: the site, the log of the second, its result, and the index."""

    site: HostileSite
    log: str
    result: dict[str, Any]
    texts: dict[str, str]
    outcomes: dict[str, str]


@pytest.fixture(scope="module")
def aftermath(opensearch_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aftermath]:
    """The site is indexed while all is good, turns hostile, and is crawled again."""
    folder = tmp_path_factory.mktemp("hostile")
    script = folder / "indexlist.txt"
    name = f"hostile-{secrets.token_hex(4)}"
    settings = Settings.from_environment({}, sites_dir=folder, opensearch_url=opensearch_url)
    client = build_collaborators(settings=settings).client
    with hostile_site() as site:
        crawl = {
            "delay": "0s",
            "timeout": "1500ms",
            "max_bytes": MAX_BYTES,
            "allow_networks": ["127.0.0.5/32", "127.0.0.6/32", "127.0.0.7/32"],
        }
        start = site.main.url("/")
        write_site(
            folder,
            name,
            script.as_uri(),
            start,
            hosts=site.hosts,
            masks=[f"include http://{host}/" for host in site.hosts],
            crawl=crawl,
            extract={"content": ["body"]},
        )
        script.write_text(FIRST.format(url=start))
        measured(folder, opensearch_url, name, "shell__1")
        script.write_text(SECOND.format(url=start))
        site.turn_hostile()
        for server in (site.main, site.storming, site.busy):
            server.seen.clear()
        log, result = measured(folder, opensearch_url, name, "shell__2")
        documents = StoredDocuments(client, f"{name}.live")
        texts = {each["url"]: each["text"] for each in documents.all(fields=("url", "text"))}
        (changes,) = (
            ChangeSet(client, index)
            for index in client.indices.get(index=f"{name}.changes-*")
            if any("new text" in str(each.document) for each in ChangeSet(client, index).pages())
        )
        outcomes = {each.url: each.facts["outcome"] for each in changes.pages(documents=False)}
        yield Aftermath(site, log, result, texts, outcomes)
        remove_indexes(build_collaborators(settings=settings), name)


def measured(folder: Path, opensearch_url: str, *words: str) -> tuple[str, dict[str, Any]]:
    environment = {
        **os.environ,
        PAUSES_VARIABLE: "0.001",
        "PYTHONPATH": str(ROOT / "include"),
        "SITE_INDEXER_SITES": str(folder),
        "SITE_INDEXER_OPENSEARCH_URL": opensearch_url,
    }
    done = subprocess.run(
        [sys.executable, measured_run.__file__, *words, NOW.isoformat()],
        env=environment,
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stderr, json.loads(done.stdout)


def test_each_page_has_the_right_outcome(aftermath: Aftermath) -> None:
    site = aftermath.site
    found = {path: aftermath.outcomes.get(url) for path, url in site.urls().items()}
    assert found == {path: expected.outcome for path, expected in site.expected.items()}


def test_each_trouble_has_a_line_in_the_log(aftermath: Aftermath) -> None:
    lines = aftermath.log.splitlines()
    site = aftermath.site
    missing = [
        (path, expected.log)
        for path, expected in site.expected.items()
        if expected.log is not None
        and not any(
            re.search(rf"{re.escape(site.urls()[path])}(?![\w/])", line) and expected.log in line
            for line in lines
        )
    ]
    assert missing == []


def test_what_could_not_be_read_keeps_its_document(aftermath: Aftermath) -> None:
    site = aftermath.site
    kept = [
        path for path in site.answers() if site.expected[path].outcome in ("failed", "redirect")
    ]
    texts = {path: aftermath.texts.get(site.main.url(path)) for path in kept}
    assert texts == {path: f"The old text of {path}." for path in kept}


def test_odd_pages_are_indexed_whole(aftermath: Aftermath) -> None:
    site = aftermath.site
    for path, expected in site.expected.items():
        if expected.text is not None:
            text = aftermath.texts[site.main.url(path)]
            assert text.endswith(expected.text), (path, text[-50:])


def test_the_good_pages_between_are_indexed(aftermath: Aftermath) -> None:
    for n in range(GOOD):
        assert (
            aftermath.texts[aftermath.site.main.url(f"/good/{n}")] == f"The new text of good {n}."
        )
    assert aftermath.result["status"] == "published"


def test_nothing_else_came_into_the_index(aftermath: Aftermath) -> None:
    site = aftermath.site
    wanted = {"/", *site.answers(), *(f"/good/{n}" for n in range(GOOD))}
    assert set(aftermath.texts) == {site.main.url(path) for path in wanted}
    assert "root:" not in str(aftermath.texts)


def test_time_and_memory_are_bounded(aftermath: Aftermath) -> None:
    """The limit of seconds is the time-out of the process: far more than it takes."""
    assert aftermath.result["peak"] < MOST_MEMORY, aftermath.result


def test_hosts_in_trouble_and_long_chains_cost_few_requests(aftermath: Aftermath) -> None:
    site = aftermath.site
    assert len(site.storming.seen) < STORM
    assert len(site.busy.seen) < STORM
    chain = {path for path in site.main.paths() if path.startswith("/chain/")}
    assert len(chain) < CHAIN / 50
    assert not any("localhost" in seen.headers.get("host", "") for seen in site.main.seen)
