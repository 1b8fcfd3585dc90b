"""Which sitemaps a crawl asks for: those that robots.txt lets it read, so many, until a limit."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from site_indexer.crawling import sitemap_crawl
from site_indexer.crawling.crawl import Crawl
from tests.integration.crawling.crawling_case import Case
from tests.integration.crawling.small_site import small_site


@pytest.fixture
def case() -> Iterator[Case]:
    with small_site() as site:
        site.page("/")
        site.page("/hidden")
        site.file("/a.txt", f"{site.url}/hidden\n".encode(), "text/plain")
        yield Case(site)


@pytest.fixture(autouse=True)
def _log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.INFO, "site_indexer.crawling"):
        yield


def run(case: Case, *, stated: tuple[str, ...] = ("/a.txt",), **more: Any) -> None:
    url = case.site.url
    urls = tuple(url + path for path in stated)
    case.run(case.seed("/"), entry_points=(f"{url}/",), sitemap_urls=urls, **more)


def robots(case: Case, *lines: str) -> None:
    text = "\n".join(("User-agent: *", *lines))
    case.site.file("/robots.txt", text.encode(), "text/plain")


def index(*urls: str) -> bytes:
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f"<sitemapindex>{entries}</sitemapindex>".encode()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    found = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    return [text for text in found if "sitemap" in text]


def test_none_is_asked_for_before_robots_txt_has_answered(case: Case) -> None:
    robots(case)
    run(case)
    asked = [line.split()[1] for line in case.site.asked]
    assert asked.index("/robots.txt") < asked.index("/a.txt")
    assert case.stored() == ["/", "/hidden"]


@pytest.mark.parametrize("status", [500, 429])
def test_none_is_asked_for_where_robots_txt_cannot_be_read(
    case: Case, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    case.site.page("/robots.txt", status=status)
    run(case)
    assert case.site.paths_asked() == []
    (line,) = warnings(caplog)
    assert line.startswith(f"The sitemap {case.site.url}/a.txt is not read, as robots.txt could")


def test_one_that_robots_txt_forbids_is_not_read_and_the_line_is_named(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    robots(case, "Disallow: /*.txt$", f"Sitemap: {case.site.url}/b.txt")
    run(case)
    assert case.site.paths_asked() == ["/"]
    assert warnings(caplog) == [
        f"The sitemap {case.site.url}/{name}.txt is not read: robots.txt forbids it"
        " (Disallow: /*.txt$)"
        for name in "ab"
    ]
    run(case, obey_robots=False)
    assert case.stored() == ["/", "/hidden"]


def test_the_delay_of_robots_txt_holds_for_them_too(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    robots(case, "Crawl-delay: 0.01", f"Sitemap: {case.site.url}/b.txt")
    # The sitemap, which is no page, is the first that is asked for.
    case.site.made_up = lambda _: caplog.records.append(logging.makeLogRecord({"msg": "asked"}))
    run(case, stated=("/b.txt",))
    texts = [record.getMessage() for record in caplog.records]
    delayed = next(n for n, text in enumerate(texts) if "asks for 0.01 s" in text)
    assert delayed < texts.index("asked")


def test_of_very_many_the_number_is_named_once(
    case: Case, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sitemap_crawl, "_MOST_SITEMAPS", 5)
    url = case.site.url
    many = [f"{url}/{n}.xml" for n in range(50)]
    elsewhere = [f"https://elsewhere.test/{n}.xml" for n in range(50)]
    case.site.file("/index.xml", index(*many, *elsewhere), "application/xml")
    for n in range(4):
        case.site.file(f"/{n}.xml", b"<urlset/>", "application/xml")
    run(case, stated=("/index.xml",))
    assert case.site.paths_asked() == ["/index.xml", *(f"/{n}.xml" for n in range(4)), "/"]
    assert warnings(caplog) == [
        f"The sitemap {elsewhere[0]} (and 49 more that {url}/index.xml names) is on no host of the"
        " site; it is not read",
        "More than 5 sitemaps are named; 46 times another one is, which is not read",
    ]


def test_at_the_limit_of_minutes_no_more_are_asked_for(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    many = [f"{case.site.url}/{n}.xml" for n in range(50)]

    def late(path: str) -> None:
        if path == "/index.xml":
            now[0] = 3_600.0
            case.site.file(path, index(*many), "application/xml")

    case.site.made_up = late
    url = f"{case.site.url}/"
    settings = dataclasses.replace(
        case.settings, max_minutes=1, entry_points=(url,), sitemap_urls=(f"{url}index.xml",)
    )
    counts = Crawl(
        settings, (case.seed("/"),), case.everything(), case.index, case.sink, clock=lambda: now[0]
    ).run()
    assert case.site.paths_asked() == ["/index.xml"]
    assert counts.limit_reached == "max_minutes (1) is reached: 1 known URLs are not fetched"
    assert warnings(caplog) == [
        f"A limit of the crawl is reached: 50 sitemaps are not read, the first is {many[0]}"
    ]
