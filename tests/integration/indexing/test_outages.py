"""A site that goes down, or answers every URL with one page: nothing is lost, it is made good."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from site_indexer.errors import RunFailedError
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.names import Target
from site_indexer.indexing import inspection
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.crawl_settings import PAUSES_VARIABLE
from site_indexer.indexing.model import RunRequest, RunResult, RunStatus
from site_indexer.indexing.run import run
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators
from tests.integration.crawling.hostile_server import (
    Client,
    Handler,
    HostileServer,
    Seen,
    hostile_server,
)
from tests.integration.indexing.conftest import NOW, remove_indexes, write_site

PAGES = 20
FIRST = ("date Tue, 06 Jan 2026 10:00:00 GMT", "add {url}/")
SECOND = ("", "date Wed, 07 Jan 2026 10:00:00 GMT", "update {url}/")
START_ANEW = ("", "date Wed, 07 Jan 2026 10:00:00 GMT", "add {url}/")
START_AGAIN = ("", "date Thu, 08 Jan 2026 10:00:00 GMT", "add {url}/")


@dataclass
class Site:
    """Pages on a server whose script lies beside it, as it must be read while the site is down."""

    id: str
    server: HostileServer
    collaborators: Collaborators
    script: Path
    runs: int = field(default=0)

    def pages(self, edition: str) -> None:
        """(Re)write every page; the first links to all."""
        links = "".join(f'<a href="/p{n}">Page {n}</a>' for n in range(PAGES))
        self.page("/", f"<p>Start, {edition}.</p>{links}")
        for n in range(PAGES):
            self.page(f"/p{n}", f"<p>The {edition} text of page {n}.</p>")

    def publish_script(self, *lines: str) -> None:
        text = "\n".join(lines).replace("{url}", self.server.url("")) + "\n"
        self.script.write_text(text)

    def run(self, *, more: int = 0) -> RunResult:
        self.runs += 1
        request = RunRequest(
            site=self.id, target=Target.LIVE, run_id=f"shell__test-{self.runs}", now=NOW
        )
        self.server.instead_after = len(self.server.seen) + more
        return run(self.collaborators, request)

    def state(self) -> tuple[Any, ...]:
        """What a failed run must leave alone."""
        documents = StoredDocuments(self.collaborators.client, f"{self.id}.live")
        texts = {each["url"]: each["text"] for each in documents.all(fields=("url", "text"))}
        shown = [
            each["generation"]
            for each in inspection.generations(self.collaborators, self.id)
            if each["current"]
        ]
        return texts, shown, self.collaborators.watermarks.get(self.id, Target.LIVE)

    def texts(self) -> list[str]:
        texts: dict[str, str] = self.state()[0]
        return sorted(texts.values())

    def page(self, path: str, body: str) -> None:
        html = f"<title>{path}</title><body>{body}".encode()
        self.server.answer(path, self.server.reply(html, "Content-Type: text/html"))


@pytest.fixture
def site(opensearch_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv(PAUSES_VARIABLE, "0.001")
    settings = Settings.from_environment({}, sites_dir=tmp_path, opensearch_url=opensearch_url)
    collaborators = build_collaborators(settings=settings)
    with hostile_server() as server:
        script = tmp_path / "indexlist.txt"
        site = Site(f"outage-{secrets.token_hex(4)}", server, collaborators, script)
        write_site(
            tmp_path, site.id, script.as_uri(), server.url("/"), extract={"content": ["body"]}
        )
        site.pages("old")
        site.publish_script(*FIRST)
        yield site
        remove_indexes(collaborators, site.id)


def edition(word: str) -> list[str]:
    links = "".join(f"\nPage {n}" for n in range(PAGES)).replace("\n", "", 1).replace("\n", " ")
    start = f"Start, {word}.\n{links}"
    return sorted([start, *(f"The {word} text of page {n}." for n in range(PAGES))])


def back_soon(server: HostileServer, head: str = "", **more: Any) -> bytes:
    html = f"<title>Shop</title>{head}<body><p>We will be back soon.</p>"
    return server.reply(html.encode(), "Content-Type: text/html", **more)


def down(client: Client, _seen: Seen) -> None:
    client.reset()


def troubles(site: Site) -> dict[str, bytes | Handler]:
    return {
        "reset": down,
        "503": site.server.reply(b"busy", status="503 Busy"),
        "500": site.server.reply(b"oops", status="500 Oops"),
    }


@pytest.mark.parametrize(("after", "how"), [(0, "reset"), (3, "503"), (10, "500")])
def test_a_site_that_goes_down_in_the_middle_of_a_run_loses_nothing(
    site: Site, after: int, how: str
) -> None:
    assert site.run().status is RunStatus.PUBLISHED
    before = site.state()
    site.pages("new")
    site.publish_script(*FIRST, *SECOND)
    site.server.instead = troubles(site)[how]

    with pytest.raises(RunFailedError, match=r"pages that .* names could not be fetched"):
        site.run(more=after)

    assert site.state() == before
    site.server.instead = None
    assert site.run().status is RunStatus.PUBLISHED
    assert site.texts() == edition("new")


@pytest.mark.parametrize(
    "head",
    [
        "",
        '<meta name="robots" content="noindex">',
        '<link rel="canonical" href="/">',
    ],
)
def test_a_site_that_answers_everything_with_back_soon_loses_nothing(site: Site, head: str) -> None:
    site.run()
    before = site.state()
    site.pages("new")
    site.publish_script(*FIRST, *SECOND)
    site.server.instead = back_soon(site.server, head)

    with pytest.raises(RunFailedError) as failed:
        site.run()

    assert "21 of the 21 pages read" in str(failed.value)
    assert "one and the same text" in str(failed.value)
    assert "the next run makes it good" in str(failed.value)
    assert ("We will be back soon." in str(failed.value)) is ("noindex" not in head)
    assert site.state() == before
    site.server.instead = None
    assert site.run().status is RunStatus.PUBLISHED
    assert site.texts() == edition("new")


def test_a_site_that_turns_to_back_soon_in_the_middle_loses_nothing(site: Site) -> None:
    site.run()
    before = site.state()
    site.pages("new")
    site.publish_script(*FIRST, *SECOND)
    site.server.instead = back_soon(site.server)

    with pytest.raises(RunFailedError, match="one and the same text"):
        site.run(more=15)

    assert site.state() == before


@pytest.mark.parametrize("how", ["reset", "503", "500"])
def test_a_site_that_goes_down_while_its_links_are_followed_loses_nothing_and_says_so(
    site: Site, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Pages that only links lead to do not fail the run, and nothing tries them again by itself."""
    site.run()
    site.pages("new")
    site.publish_script(*FIRST, *START_ANEW)
    site.server.instead = troubles(site)[how]

    with caplog.at_level(logging.INFO, "site_indexer"):
        result = site.run(more=8)

    assert result.status is RunStatus.PUBLISHED
    failed = result.counts["errors"]
    assert failed >= PAGES - 8
    old, new = edition("old"), edition("new")
    assert len(site.texts()) == PAGES + 1
    assert set(site.texts()) <= {*old, *new}
    assert len(set(site.texts()) - set(new)) == failed
    said = [each.getMessage() for each in caplog.records]
    pages = [each for each in caplog.records if each.name == "site_indexer.crawling.pages"]
    assert len(pages) == failed
    (told,) = [line for line in said if "that only links lead to" in line]
    assert told.startswith(f"{failed} pages that only links lead to could not be fetched")
    assert "add a page in a newer block" in told
    assert "run with Clear Date" in told
    assert any(line.startswith("Summary:") and f"{failed} errors" in line for line in said)

    site.server.instead = None
    assert site.run().status is RunStatus.UNCHANGED
    assert site.texts() != new
    site.publish_script(*FIRST, *START_ANEW, *START_AGAIN)
    assert site.run().status is RunStatus.PUBLISHED
    assert site.texts() == new


def test_a_site_that_turns_to_back_soon_while_its_links_are_followed_loses_nothing(
    site: Site,
) -> None:
    site.run()
    before = site.state()
    site.pages("new")
    site.publish_script(*FIRST, *START_ANEW)
    site.server.instead = back_soon(site.server)

    with pytest.raises(RunFailedError, match="one and the same text"):
        site.run(more=8)

    assert site.state() == before
    site.server.instead = None
    assert site.run().status is RunStatus.PUBLISHED
    assert site.texts() == edition("new")


def test_a_start_page_that_says_back_soon_costs_its_own_text_and_the_run_says_so(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """One page is no site: nothing else is read, so nothing tells this from a new start page."""
    site.run()
    site.pages("new")
    site.publish_script(*FIRST, *START_ANEW)
    site.server.instead = back_soon(site.server)

    with caplog.at_level(logging.WARNING, "site_indexer"):
        assert site.run().status is RunStatus.PUBLISHED

    pages = [text for text in edition("old") if "text of page" in text]
    assert site.texts() == sorted(["We will be back soon.", *pages])
    assert f"{site.server.url('/')} leads to no page any more" in caplog.text

    site.server.instead = None
    site.publish_script(*FIRST, *START_ANEW, *START_AGAIN)
    assert site.run().status is RunStatus.PUBLISHED
    assert site.texts() == edition("new")


def test_pages_that_were_alike_before_are_no_reason_to_stop(site: Site) -> None:
    alike = [f"/p{n}" for n in range(12)]
    for path in alike:
        site.page(path, "<p>No entries.</p>")
    site.publish_script(*FIRST)
    with pytest.raises(RunFailedError, match="12 of the 21"):
        site.run()
    for path in alike[4:]:
        site.page(path, f"<p>{path}</p>")
    site.run()
    for path in alike[:8]:
        site.page(path, "<p>No entries.</p>")
    site.publish_script(*FIRST, *SECOND)

    assert site.run().status is RunStatus.PUBLISHED
    assert site.texts().count("No entries.") == 8


def test_an_owner_who_means_it_can_let_it_pass(site: Site) -> None:
    site.run()
    write_site(
        site.collaborators.sites_dir,
        site.id,
        site.script.as_uri(),
        site.server.url("/"),
        retries={"max_failed": "100%"},
    )
    site.publish_script(*FIRST, *SECOND)
    site.server.instead = back_soon(site.server)

    assert site.run().status is RunStatus.PUBLISHED
    assert set(site.texts()) == {"We will be back soon."}


def test_the_failure_is_in_the_log_with_what_each_page_answered(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    site.run()
    site.publish_script(*FIRST, *SECOND)
    site.server.instead = site.server.reply(b"oops", status="500 Oops")
    with caplog.at_level(logging.ERROR), pytest.raises(RunFailedError):
        site.run(more=2)
    assert any("/p7: answered 500" in each.getMessage() for each in caplog.records)
