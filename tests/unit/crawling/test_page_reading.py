"""Pages are read the same in a process of their own, and one that kills it costs only itself."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from site_indexer.crawling import page_reading
from site_indexer.crawling.answer_reader import AnswerReader
from site_indexer.crawling.model import CrawlSettings, StoredPage
from site_indexer.crawling.page_facts import Answer
from site_indexer.crawling.page_reading import PageReading
from site_indexer.crawling.reading_messages import (
    Messages,
    Read,
    answer,
    answered,
    asked,
    question,
)
from site_indexer.crawling.reading_process import reader_of
from site_indexer.crawling.responses import Failure, Request, Response

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
SETTINGS = CrawlSettings(site="small", user_agent="test", hosts=("h.test",))
READER = reader_of(SETTINGS)


def response(path: str, body: str = "", status: int = 200, **more: object) -> Response:
    values = {
        "headers": (
            ("content-type", "text/html"),
            ("last-modified", "Mon, 30 Nov 2026 09:00:00 GMT"),
        ),
        "body": (body or f'<title>{path}</title><a href="/next{path}">n</a><p>words').encode(),
        "received_at": NOW,
        "elapsed_ms": 3,
        **more,
    }
    return Response(Request(f"https://h.test{path}"), status, **values)  # type: ignore[arg-type]


def stored(url: str) -> StoredPage:
    return StoredPage(
        url, "id", '"e"', None, "digest", "1", ("https://h.test/l",), False, NOW, None, ("a",), NOW
    )


ANSWERS = [
    (response("/a"), None),
    (response("/b"), stored("https://h.test/b")),
    (response("/noindex", '<meta name="robots" content="noindex"><p>no'), None),
    (response("/empty", " "), None),
    (response("/other", headers=(("content-type", "image/png"),)), None),
    (response("/pdf", headers=(("content-type", "application/pdf"),)), None),
    (response("/half", "caf\ud800".encode("utf-8", "surrogatepass").decode("latin-1")), None),
    (response("/old", "", 304), stored("https://h.test/old")),
    (response("/gone", "", 404), None),
    (response("/new", "", 301, location="https://h.test/a"), None),
    (response("/broken", "", 500, failure=Failure.SERVER_ERROR, error="500"), None),
]


@pytest.fixture
def reading() -> Iterator[PageReading[str]]:
    made: PageReading[str] = PageReading(SETTINGS, READER, cores=3, pages_before=0)
    yield made
    made.close()


def all_read(reading: PageReading[str]) -> dict[str, Read]:
    found: dict[str, Read] = {}
    while reading.pending:
        found.update(reading.done(wait=True))
    return found


def test_messages_say_what_they_are_made_of() -> None:
    messages = Messages()
    for each, known in ANSWERS:
        read = READER.read(each, known)
        data = question(each, known) + answer(read)
        first, second = [m for byte in data for m in messages.feed(bytes([byte]))]
        assert asked(first) == (each, known)
        assert answered(second) == read


def test_what_another_process_reads_is_what_is_read_here(reading: PageReading[str]) -> None:
    for each, known in ANSWERS:
        reading.take(each.request.url, each, known)
    expected = {each.request.url: READER.read(each, known) for each, known in ANSWERS}
    assert all_read(reading) == expected
    assert reading.bell is None


def test_pages_of_megabytes_pass_both_ways(reading: PageReading[str]) -> None:
    pages = [response(f"/{n}", f"<p>{str(n) * 2_000_000}") for n in range(9)]
    for each in pages:
        reading.take(each.request.url, each, None)
    found = all_read(reading)
    assert found == {each.request.url: READER.read(each, None) for each in pages}


def test_a_page_that_kills_the_process_costs_itself_alone(
    reading: PageReading[str], caplog: pytest.LogCaptureFixture
) -> None:
    reading.take("warm", response("/warm"), None)
    all_read(reading)
    assert reading.pid is not None
    os.kill(reading.pid, signal.SIGSTOP)
    for path in ("/deadly", "/b", "/c"):
        reading.take(path, response(path), None)
    os.kill(reading.pid, signal.SIGKILL)
    found = all_read(reading)
    facts, document = found.pop("/deadly")
    assert (facts.answer, facts.failure, document) == (Answer.FAILED, Failure.UNREADABLE, None)
    assert found == {path: READER.read(response(path), None) for path in ("/b", "/c")}
    assert "https://h.test/deadly" in caplog.text


def test_a_page_that_takes_too_long_costs_itself_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = [0.0]
    reading: PageReading[str] = PageReading(
        SETTINGS, READER, cores=3, pages_before=0, most_seconds=60.0, clock=lambda: now[0]
    )
    reading.take("warm", response("/warm"), None)
    all_read(reading)
    assert reading.pid is not None
    os.kill(reading.pid, signal.SIGSTOP)
    for path in ("/endless", "/b"):
        reading.take(path, response(path), None)
    now[0] = 59.0
    assert reading.done() == []
    now[0] = 61.0
    found = dict(reading.done())
    assert set(found) == {"/endless"}
    found |= all_read(reading)
    facts, document = found.pop("/endless")
    assert (facts.answer, facts.failure, document) == (Answer.FAILED, Failure.UNREADABLE, None)
    assert found == {"/b": READER.read(response("/b"), None)}
    assert "https://h.test/endless (it took more than 60 s)" in caplog.text
    reading.close()


def test_the_process_has_no_more_memory_than_pages_need() -> None:
    code = (
        "from site_indexer.crawling import reading_process\n"
        "reading_process._limit_memory(1_000)\n"
        "bytearray(2**29)\n"
        "try:\n    bytearray(2**31)\nexcept MemoryError:\n    print('bounded')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "bounded\n"


def test_large_pages_go_to_the_process_from_the_first_on() -> None:
    reading: PageReading[str] = PageReading(SETTINGS, READER, cores=2, pages_before=3)
    reading.take("large", response("/large", "x" * 2**20), None)
    assert reading.pid is not None
    assert len(all_read(reading)) == 1
    reading.close()


@pytest.fixture
def held() -> Iterator[PageReading[str]]:
    """Reading whose process does nothing, on two cores, from the first page on."""
    made: PageReading[str] = PageReading(SETTINGS, READER, cores=2)
    made.take("first", response("/first", "x" * 2**20), None)
    all_read(made)
    assert made.pid is not None
    os.kill(made.pid, signal.SIGSTOP)
    yield made
    made.close()


def test_large_pages_wait_for_the_process_however_many_do(held: PageReading[str]) -> None:
    for n in range(40):
        assert held.is_full == (n >= 16)
        held.take(f"{n}", response(f"/{n}", "x" * 2**20), None)
        held.take(f"small {n}", response(f"/small/{n}"), None)
    assert {tag for tag, _ in held.done()} == {f"small {n}" for n in range(40)}
    assert held.pid is not None
    os.kill(held.pid, signal.SIGCONT)
    assert len(all_read(held)) == 40
    assert not held.is_full


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/pdf", "%PDF-1.7"),
        ("", "%PDF-1.7"),
        ("application/vnd.oasis.opendocument.text", "PK"),
    ],
)
def test_small_files_that_may_unpack_to_much_wait_too(
    held: PageReading[str], content_type: str, body: str
) -> None:
    headers = (("content-type", content_type),) if content_type else ()
    held.take("file", response("/file", body, headers=headers), None)
    assert held.done() == []
    assert held.pid is not None
    os.kill(held.pid, signal.SIGCONT)
    assert len(all_read(held)) == 1


def test_after_many_deaths_what_may_be_deadly_fails_and_all_else_is_read(
    held: PageReading[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_reading, "_MOST_DEATHS", 1)
    for path in ("/deadly", "/second"):
        held.take(path, response(path, "x" * 2**20), None)
    assert held.pid is not None
    os.kill(held.pid, signal.SIGKILL)
    failed = all_read(held)
    assert {facts.failure for facts, _ in failed.values()} == {Failure.UNREADABLE}
    errors = {path: facts.error or "" for path, (facts, _) in failed.items()}
    assert "the parser died of it" in errors["/deadly"]
    assert "https://h.test/second is not read: " in errors["/second"]
    held.take("/small", response("/small", "x" * 40_000), None)
    assert all_read(held)["/small"][0].answer is Answer.PAGE
    assert held.pid is None


def test_on_two_cores_pages_that_take_a_while_go_to_the_process() -> None:
    reading: PageReading[str] = PageReading(SETTINGS, READER, cores=2, pages_before=0)
    reading.take("some", response("/some", "x" * 40_000), None)
    assert reading.pid is not None
    assert len(all_read(reading)) == 1
    reading.close()


def test_the_first_pages_and_small_ones_on_two_cores_need_no_process() -> None:
    for cores, pages_before in ((1, 0), (2, 0), (3, 3)):
        reading: PageReading[str] = PageReading(
            SETTINGS, READER, cores=cores, pages_before=pages_before
        )
        for path in ("/a", "/b"):
            reading.take(path, response(path), None)
        assert reading.pid is None
        assert len(reading.done()) == 2


def test_a_sitemap_is_no_page() -> None:
    url = "https://h.test/map.xml"
    reader = AnswerReader("small", READER._extractor, READER._resolver, {url})
    reading: PageReading[str] = PageReading(
        SETTINGS, reader, sitemaps={url}, cores=3, pages_before=0
    )
    reading.take("map", response("/map.xml"), None)
    ((_, (facts, _)),) = reading.done()
    assert facts.answer is Answer.UNSUPPORTED


def test_the_sites_own_headers_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITE_INDEXER_CONNECTION_X", "s3cret")
    secret = CrawlSettings(
        site="small", user_agent="t", hosts=("h.test",), headers=(("Authorization", "s3cret"),)
    )
    guarded: PageReading[str] = PageReading(secret, READER, cores=3, pages_before=0)
    guarded.take("a", response("/a"), None)
    with open(f"/proc/{guarded.pid}/environ", "rb") as environment:
        assert b"s3cret" not in environment.read()
    assert len(all_read(guarded)) == 1
    guarded.close()
