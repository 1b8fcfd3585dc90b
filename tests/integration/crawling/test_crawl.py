"""Crawls of small sites over real HTTP: following, deciding, removing."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from site_indexer.crawling import crawl, removal_log
from site_indexer.crawling.extracted import EXTRACTOR_VERSION
from site_indexer.crawling.model import Outcome, RecordAction
from site_indexer.errors import ConfigurationError
from site_indexer.index_script.model import Action
from tests.integration.crawling.crawling_case import Case, rule, rules
from tests.integration.crawling.small_site import small_site


@pytest.fixture(params=[20_000, 0], ids=["whole", "compact"])
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    with small_site() as site:
        yield Case(site, keep_whole=request.param)


def test_links_are_followed_from_page_to_page(case: Case) -> None:
    case.site.page("/", links=["/a", "/b#part", "https://elsewhere.test/"])
    case.site.page("/a", links=["/", "c"])
    case.site.page("/b")
    case.site.page("/c", links=["/missing"])

    counts = case.run()

    assert case.stored() == ["/", "/a", "/b", "/c"]
    assert (counts.fetched, counts.indexed, counts.errors) == (5, 4, 0)
    assert case.outcome("/missing") == "gone"
    assert case.sink.flushed
    record = case.sink.of(f"{case.site.url}/c")
    assert [(r.depth, r.found_on) for r in record.reaches] == [(2, f"{case.site.url}/a")]
    assert (record.line, record.cause, record.named) == (2, Action.ADD, False)


def test_a_page_that_is_gone_loses_its_document_and_others_do_not(case: Case) -> None:
    case.site.page("/", links=["/a", "/b"])
    case.site.page("/a")
    case.site.page("/b")
    case.run()
    case.site.gone("/a", 410)
    case.site.page("/b", status=503)

    counts = case.run()

    assert case.stored() == ["/", "/b"]
    assert (counts.removed, counts.errors) == (1, 1)
    assert counts.failures == {"server-error": 1}
    assert case.outcome("/b") == "failed"


def test_unchanged_pages_cost_a_304_and_their_links_are_followed(case: Case) -> None:
    case.site.page("/", links=["/a"])
    case.site.page("/a", links=["/b"])
    case.site.page("/b", "old")
    case.run()
    case.site.page("/b", "new")

    counts = case.run()

    assert (counts.not_modified, counts.unchanged, counts.indexed) == (2, 2, 1)
    assert case.index.by_url()[f"{case.site.url}/b"]["text"] == "new"
    assert "GET / 304" in case.site.asked


def test_other_bytes_with_the_same_content_are_no_change(case: Case) -> None:
    case.site.page("/", head="<!-- built at 10:00 -->", links=["/a"])
    case.site.page("/a")
    case.run()
    before = case.index.comparable()
    case.site.page("/", head="<!-- built at 11:00 -->", links=["/a"])

    counts = case.run()

    assert (counts.unchanged, counts.not_modified, counts.indexed) == (2, 1, 0)
    assert case.index.comparable() == before


def test_documents_of_another_extractor_are_made_anew(case: Case) -> None:
    case.site.page("/")
    case.run()
    for document in case.index.documents.values():
        document["extractor_version"] = "0"

    counts = case.run()

    assert case.site.asked[-1] == "GET / 200"
    assert counts.not_modified == 0


def test_follow_changed_stops_at_unchanged_pages_that_no_command_names(case: Case) -> None:
    case.site.page("/", links=["/a"])
    case.site.page("/a", links=["/b"])
    case.site.page("/b")
    case.run()

    case.run(follow_changed_only=True)

    assert case.site.paths_asked() == ["/", "/a"]


def test_a_pages_own_noindex_removes_its_document(case: Case) -> None:
    case.site.page("/", links=["/a", "/b"])
    case.site.page("/a")
    case.site.page("/b")
    case.run()
    case.site.page("/a", head='<meta name="robots" content="noindex">', links=["/c"])
    case.site.page("/b", headers=[("X-Robots-Tag", "none")], links=["/d"])
    case.site.page("/c")
    case.site.page("/d")

    counts = case.run()

    assert case.stored() == ["/", "/c"]
    assert counts.removed == 2
    assert "/d" not in case.site.paths_asked()


def test_a_noindex_header_on_a_304_counts(case: Case) -> None:
    case.site.page("/")
    case.run()
    case.site.page("/", headers=[("X-Robots-Tag", "noindex")])

    case.run()

    assert case.site.asked[-1] == "GET / 304"
    assert case.stored() == []


def test_flags_of_a_command_hold_for_the_page_it_names(case: Case) -> None:
    case.site.page("/hub", links=["/a"])
    case.site.page("/a", links=["/b"])
    case.site.page("/b")
    case.site.page("/single", links=["/not-followed"])

    case.run(case.seed("/hub", noindex=True), case.seed("/single", nofollow=True))

    assert case.stored() == ["/a", "/b", "/single"]
    assert case.outcome("/hub") == "not-written"
    assert "/not-followed" not in case.site.paths_asked()


def test_noindex_of_a_command_leaves_the_document_as_it_is(case: Case) -> None:
    case.site.page("/", "old")
    case.run()
    case.site.page("/", "new", links=["/a"])
    case.site.page("/a")

    case.run(case.seed("/", noindex=True))

    assert case.index.by_url()[f"{case.site.url}/"]["text"].startswith("old")
    assert case.stored() == ["/", "/a"]


def test_what_rules_leave_out_is_neither_fetched_nor_removed(case: Case) -> None:
    case.site.page("/", links=["/private/a", "/b", "/c.zip"])
    case.site.page("/private/a", links=["/hidden"])
    case.site.page("/b")
    case.run()
    url = case.site.url
    by = {0: rules(rule("exclude", f"{url}/private/"), rule("include", f"{url}/"))}

    counts = case.run(by=by)

    assert case.site.paths_asked() == ["/", "/b", "/c.zip"]
    assert case.stored() == ["/", "/b", "/private/a"]
    assert counts.excluded == 1


def test_a_named_url_that_the_rules_leave_out_is_recorded(case: Case) -> None:
    case.site.page("/a")
    counts = case.run(case.seed("/a"), by={0: rules(rule("exclude", case.site.url + "/"))})
    assert case.site.paths_asked() == []
    assert case.outcome("/a") == "excluded"
    assert counts.excluded == 1


def test_blocks_judge_a_page_that_is_fetched_once(case: Case) -> None:
    url = case.site.url
    case.site.page("/", links=["/a"])
    case.site.page("/a", links=["/b"])
    case.site.page("/b")
    case.site.page("/other", links=["/a"])
    by = {
        0: rules(rule("include", f"{url}/")),
        1: rules(rule("exclude", f"{url}/b"), rule("include", f"{url}/")),
        2: rules(rule("include", f"{url}/a", noindex=True), rule("include", f"{url}/other")),
    }

    case.run(
        case.seed("/"), case.seed("/other", block=1, line=5), case.seed("/other", block=2), by=by
    )

    assert sorted(case.site.paths_asked()) == ["/", "/a", "/b", "/other"]
    blocks = {r.url.removeprefix(url): r.block for r in case.sink.records.values()}
    assert blocks == {"/": 0, "/a": 1, "/b": 0, "/other": 2}


def test_an_answer_that_no_rule_foresees_keeps_the_document(case: Case) -> None:
    case.site.page("/", links=["/a"])
    case.site.page("/a")
    case.run()
    case.site.file("/a", b"PK", "application/zip")

    counts = case.run()

    assert case.stored() == ["/", "/a"]
    assert counts.unsupported == 1


def test_limits_inside_pages_and_files_are_named_in_the_log(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    office = (Path(__file__).parents[2] / "corpus/office/report.docx").read_bytes()
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    deep = b"<div>" * 20_001 + b"the bottom"
    entities = b"<!DOCTYPE html [<!ENTITY a 'b'>]><html><body>text &a;</body></html>"
    case.site.page("/", links=["/deep", "/entities", "/bytes", "/whole", "/broken"])
    case.site.file("/deep", deep, "text/html")
    case.site.file("/entities", entities, "application/xhtml+xml")
    case.site.file("/bytes", b"caf\xe9", "text/html; charset=utf-8")
    case.site.file("/whole", office, kind)
    case.site.file("/broken", office[:20_000], kind)

    with caplog.at_level(logging.WARNING, "site_indexer.crawling"):
        counts = case.run()

    assert case.stored() == ["/", "/bytes", "/deep", "/entities", "/whole"]
    assert "the bottom" in case.index.by_url()[f"{case.site.url}/deep"]["text"]
    assert counts.failures == {"unreadable": 1}
    said = sorted(record.getMessage().removeprefix(case.site.url) for record in caplog.records)
    assert [" ".join(line.split()[:4]) for line in said] == [
        "/broken is no Office",
        "/bytes holds bytes that",
        "/deep nests elements deeper",
        "/entities defines entities of",
    ]


def test_robots_txt_is_obeyed(case: Case, caplog: pytest.LogCaptureFixture) -> None:
    case.site.file("/robots.txt", b"User-agent: *\nDisallow: /no\n", "text/plain")
    case.site.page("/", links=["/no/a", "/yes"])
    case.site.page("/yes")

    with caplog.at_level(logging.ERROR, "site_indexer.crawling"):
        counts = case.run(case.seed("/"), case.seed("/no/b", line=3))

    assert case.stored() == ["/", "/yes"]
    assert counts.refused == 2
    assert case.sink.of(f"{case.site.url}/no/a").named is False
    assert [record.getMessage().split(": ")[0] for record in caplog.records] == ["line 3"]
    assert counts.errors == 0


def test_a_robots_txt_in_trouble_stops_the_crawl_of_its_host(case: Case) -> None:
    case.site.page("/")
    case.run()
    case.site.page("/robots.txt", status=503)

    counts = case.run()

    assert case.site.paths_asked() == []
    assert counts.failures == {"robots-unreachable": 1}
    assert case.stored() == ["/"]


def test_robots_txt_may_be_overruled_by_the_sites_owner(case: Case) -> None:
    case.site.file("/robots.txt", b"User-agent: *\nDisallow: /\n", "text/plain")
    case.site.page("/")
    case.run(obey_robots=False)
    assert case.stored() == ["/"]


def test_what_rules_leave_out_is_named_where_a_line_adds_it_and_not_where_a_mask_meets_it(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    url = case.site.url
    by = {0: rules(rule("exclude", f"{url}/no/"), rule("include", f"{url}/"))}
    seeds = case.seed("/no/a", line=3), case.seed("/no/b", line=4, cause=Action.UPDATE)

    with caplog.at_level(logging.INFO, "site_indexer.crawling"):
        counts = case.run(*seeds, by=by)

    assert counts.excluded == 2
    assert [record.getMessage().split(" is ")[0] for record in caplog.records] == [
        f"line 3: {url}/no/a"
    ]


def test_date_rules_decide_with_the_date_of_the_page(case: Case) -> None:
    url = case.site.url
    case.site.page("/", links=["/old", "/new", "/undated"])
    case.site.page("/old", head='<meta name="date" content="2019-01-01">', links=["/from-old"])
    case.site.page("/new", head='<meta name="date" content="2023-01-01">')
    case.site.page("/undated")
    dated = rule("exclude", f"{url}/", date=dt.date(2020, 1, 1))

    case.run(by={0: rules(dated, rule("include", f"{url}/"))})

    assert case.stored() == ["/", "/new", "/undated"]
    assert case.outcome("/old") == "excluded"
    assert "/from-old" not in case.site.paths_asked()


def test_a_server_date_rule_decides_without_a_download(case: Case) -> None:
    url = case.site.url
    case.site.page("/", links=["/old", "/new"])
    modified = "Last-Modified"
    case.site.page("/old", headers=[(modified, "Tue, 01 Jan 2019 00:00:00 GMT")])
    case.site.page("/new", headers=[(modified, "Sun, 01 Jan 2023 00:00:00 GMT")])
    dated = rule("exclude", f"{url}/", date=dt.date(2020, 1, 1), server_date=True)

    counts = case.run(by={0: rules(dated, rule("include", f"{url}/"))})

    assert "HEAD /old 200" in case.site.asked
    assert "/old" not in case.site.paths_asked()
    assert case.stored() == ["/", "/new"]
    assert counts.excluded == 1


def test_a_block_that_lets_in_what_another_left_out_by_date_gets_it_fetched(case: Case) -> None:
    url = case.site.url
    case.site.page("/", links=["/old"])
    case.site.page("/old", headers=[("Last-Modified", "Tue, 01 Jan 2019 00:00:00 GMT")])
    for n in range(6):
        case.site.page(f"/late{n}", links=[f"/late{n + 1}"])
    case.site.page("/late6", links=["/old"])
    dated = rule("exclude", f"{url}/", date=dt.date(2020, 1, 1), server_date=True)
    by = {0: rules(dated, rule("include", f"{url}/")), 1: rules(rule("include", f"{url}/"))}

    case.run(case.seed("/"), case.seed("/late0", block=1), by=by)

    assert [line for line in case.site.asked if "/old" in line] == ["HEAD /old 200", "GET /old 200"]
    assert "/old" in case.stored()
    assert case.sink.of(f"{url}/old").block == 1


def test_limits_publish_what_there_is_and_name_the_rest(case: Case) -> None:
    for n in range(12):
        case.site.page(f"/{n}", links=[f"/{n + 1}", f"/x{n}"])
        case.site.page(f"/x{n}")

    deep = case.run(case.seed("/0"), max_depth=3)
    assert case.stored() == ["/0", "/1", "/2", "/3", "/x0", "/x1", "/x2"]
    assert deep.limit_reached == "max_depth (3) is reached: 2 URLs further down are not fetched"

    many = case.run(case.seed("/0"), max_pages=5)
    assert many.fetched == 5
    assert many.limit_reached is not None
    assert many.limit_reached.startswith("max_pages (5) is reached: ")

    late = case.run(case.seed("/0"), max_minutes=0)
    assert late.fetched == 0
    assert late.limit_reached == "max_minutes (0) is reached: 1 known URLs are not fetched"


def test_sitemaps_are_read_where_a_command_names_an_entry_point(case: Case) -> None:
    url = case.site.url
    case.site.file("/robots.txt", f"Sitemap: {url}/index.xml".encode(), "text/plain")
    index = f"<sitemapindex><sitemap><loc>{url}/list.txt</loc></sitemap></sitemapindex>"
    case.site.file("/index.xml", index.encode(), "application/xml")
    case.site.file("/list.txt", f"{url}/hidden\n{url}/x/no\n".encode(), "text/plain")
    case.site.page("/", links=["/list.txt", "/index.xml"])
    case.site.page("/hidden")
    case.site.page("/other")
    by = {0: rules(rule("exclude", f"{url}/x/"), rule("include", f"{url}/"))}

    case.run(case.seed("/other"), entry_points=(f"{url}/",), by=by)
    assert case.stored() == ["/other"]

    case.run(case.seed("/"), entry_points=(url,), by=by)
    assert case.stored() == ["/", "/hidden", "/other"]
    hidden = case.sink.of(f"{url}/hidden").reaches[0]
    assert (hidden.depth, hidden.found_on) == (1, f"{url}/list.txt")

    case.index.documents.clear()
    case.run(case.seed("/", nofollow=True), entry_points=(url,), by=by)
    assert case.stored() == ["/"]


def test_a_sitemap_may_redirect_within_the_site_and_be_larger_than_a_page(case: Case) -> None:
    url = case.site.url
    case.site.page("/")
    case.site.page("/hidden")
    case.site.redirect("/sitemap.xml", "/moved.xml")
    case.site.redirect("/away.xml", "http://127.0.0.1:1/sitemap.xml")
    case.site.redirect("/loop.xml", "/loop.xml")
    filling = "<!-- filling -->" * 1_000
    case.site.file(
        "/moved.xml",
        f"<urlset>{filling}<url><loc>{url}/hidden</loc></url></urlset>".encode(),
        "application/xml",
    )
    sitemaps = tuple(f"{url}/{name}.xml" for name in ("sitemap", "away", "loop"))

    case.run(case.seed("/"), entry_points=(f"{url}/",), sitemap_urls=sitemaps, max_bytes=10_000)

    assert case.stored() == ["/", "/hidden"]
    assert case.site.paths_asked().count("/loop.xml") == 1


class TestDatesOfSitemaps:
    """A page without a date of its own or the server's has that of a sitemap."""

    URLS = ("/", "/plain", "/own", "/server", "/undated")
    OWN = '<meta name="date" content="2020-01-02">'
    SERVER = ("Last-Modified", "Fri, 03 Jan 2020 00:00:00 GMT")

    def put(self, case: Case, lastmod: str, *, text: str = "", etag: bool = True) -> None:
        """The site, and a sitemap that dates all but its last page."""
        url = case.site.url
        case.site.page("/", links=self.URLS[1:], etag=etag)
        case.site.page("/plain", text, etag=etag)
        case.site.page("/own", head=self.OWN, etag=etag)
        case.site.page("/server", headers=[self.SERVER], etag=etag)
        case.site.page("/undated", etag=etag)
        dated = [
            f"<url><loc>{url}{path}</loc><lastmod>{lastmod}</lastmod></url>"
            for path in self.URLS[:-1]
        ]
        entries = "".join((*dated, f"<url><loc>{url}/undated</loc></url>"))
        case.site.file("/sitemap.xml", f"<urlset>{entries}</urlset>".encode(), "application/xml")
        case.site.file("/robots.txt", f"Sitemap: {url}/sitemap.xml".encode(), "text/plain")

    def run(self, case: Case, **more: Any) -> None:
        case.run(case.seed("/"), entry_points=(f"{case.site.url}/",), **more)

    def dates(self, case: Case) -> dict[str, tuple[str | None, str | None]]:
        return {
            url.removeprefix(case.site.url): (each.get("date"), each.get("date_source"))
            for url, each in case.index.by_url().items()
        }

    @pytest.mark.parametrize("concurrency", [1, 8])
    def test_the_page_comes_first_then_the_server_then_the_sitemap(
        self, case: Case, concurrency: int
    ) -> None:
        self.put(case, "2020-02-01")
        self.run(case, concurrency=concurrency)
        assert self.dates(case) == {
            "/": ("2020-02-01T00:00:00Z", "sitemap"),
            "/plain": ("2020-02-01T00:00:00Z", "sitemap"),
            "/own": ("2020-01-02T00:00:00Z", "meta:date"),
            "/server": ("2020-01-03T00:00:00Z", "server"),
            "/undated": (None, None),
        }

    @pytest.mark.parametrize("etag", [True, False])
    def test_another_date_there_is_no_change_of_the_page(self, case: Case, etag: bool) -> None:
        self.put(case, "2020-02-01", etag=etag)
        self.run(case)
        self.put(case, "2020-03-01", etag=etag)
        self.run(case)
        assert {case.outcome(path) for path in self.URLS} == {"unchanged"}
        assert self.dates(case)["/plain"] == ("2020-02-01T00:00:00Z", "sitemap")
        self.put(case, "2020-03-01", text="Changed.", etag=etag)
        self.run(case)
        assert case.outcome("/plain") == "indexed"
        assert self.dates(case)["/plain"] == ("2020-03-01T00:00:00Z", "sitemap")

    def test_date_rules_ask_it_and_server_date_does_not(self, case: Case) -> None:
        url = case.site.url
        self.put(case, "2020-02-01")
        until = {"date": dt.date(2020, 2, 1)}
        include = rule("include", f"{url}/")
        by = {0: rules(rule("exclude", f"{url}/plain", **until), include)}
        self.run(case, by=by)
        assert case.outcome("/plain") == "excluded"
        by = {0: rules(rule("exclude", f"{url}/plain", **until, server_date=True), include)}
        self.run(case, by=by)
        assert case.outcome("/plain") == "indexed"

    def test_a_crawl_that_died_goes_on_with_it(self, case: Case) -> None:
        url = case.site.url
        self.put(case, "2020-02-01")
        by = {0: rules(rule("include", f"{url}/"))}
        self.run(case, by=by)
        assert case.sink.of(f"{url}/plain").own_date == dt.datetime(2020, 2, 1, tzinfo=dt.UTC)

    def test_pages_do_not_wait_for_a_sitemap_for_ever(
        self, case: Case, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(crawl, "_SITEMAPS_FIRST_S", 0.0)
        self.put(case, "2020-02-01")
        self.run(case)
        assert case.stored() == sorted(self.URLS)


def test_a_delay_that_robots_txt_asks_for_is_in_the_log(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    case.site.file("/robots.txt", b"User-agent: *\nCrawl-delay: 0.01\n", "text/plain")
    case.site.page("/")
    with caplog.at_level(logging.INFO, "site_indexer.crawling"):
        case.run()
    assert "asks for 0.01 s between two requests" in caplog.text


def test_a_page_that_cannot_be_read_fails_and_costs_no_other(case: Case) -> None:
    case.site.page("/", links=["/broken.pdf", "/a"])
    case.site.file("/broken.pdf", b"%PDF-1.4 nonsense", "application/pdf")
    case.site.page("/a")

    counts = case.run()

    assert case.stored() == ["/", "/a"]
    assert counts.failures == {"unreadable": 1}


def test_a_document_says_all_that_the_index_wants(case: Case) -> None:
    head = (
        '<meta name="description" content="About"><meta name="date" content="2024-01-02">'
        '<meta name="robots" content="index">'
    )
    case.site.page(
        "/",
        "text",
        head=head,
        links=["/a", "https://else.test/"],
        headers=[("Last-Modified", "Wed, 03 Jan 2024 04:05:06 GMT")],
    )

    case.run(case.seed("/"), max_pages=1)

    (document,) = case.index.documents.values()
    fetched_at = document.pop("fetched_at")
    assert len(fetched_at) == len("2024-01-02T00:00:00.000Z")
    assert len(document.pop("content_digest")) == 32
    assert document.pop("etag").startswith('"')
    assert document.pop("bytes") > 100
    assert document == {
        "url": f"{case.site.url}/",
        "site": "small",
        "title": "/",
        "description": "About",
        "headings": [],
        "text": "text\nto /a\nto https://else.test/",
        "language": "en",
        "links": [f"{case.site.url}/a"],
        "content_type": "text/html",
        "charset": "utf-8",
        "date": "2024-01-02T00:00:00Z",
        "date_source": "meta:date",
        "server_date": "2024-01-03T04:05:06Z",
        "last_modified": "Wed, 03 Jan 2024 04:05:06 GMT",
        "extractor_version": EXTRACTOR_VERSION,
        "nofollow": False,
        "aliases": [],
        "fields": {},
    }


def test_a_killed_crawl_goes_on_from_its_records(case: Case) -> None:
    case.site.page("/", links=["/a", "/b", "/old"])
    case.site.page("/a", links=["/c"])
    case.site.page("/b", links=["/d"], head='<link rel="canonical" href="/d">')
    case.site.page("/c", head='<meta name="robots" content="nofollow">', links=["/no"])
    case.site.page("/d", links=["/a", "/missing"])
    case.site.redirect("/old", "/c")
    case.run()
    whole = case.index.comparable()
    all_records = list(case.sink.records.values())

    for half in (all_records[::2], all_records[1::2], all_records[:1], all_records):
        case.index.documents.clear()
        case.sink.records = {record.document_id: record for record in half}
        case.site.asked.clear()
        counts = case.crawl(done=half)
        case.index.publish(case.sink)
        assert case.index.comparable() == whole
        done = {record.url.removeprefix(case.site.url) for record in half}
        assert done.isdisjoint(case.site.paths_asked())
        assert counts.fetched == len(all_records) - len(half)


def test_a_second_step_judges_what_the_first_one_fetched(case: Case) -> None:
    url = case.site.url
    case.site.page("/", links=["/a"])
    case.site.page("/a")
    by = {
        0: rules(rule("include", f"{url}/", noindex=True)),
        1: rules(rule("include", f"{url}/")),
    }
    case.crawl(case.seed("/"), by=by)
    assert case.outcome("/a") == "not-written"
    case.site.asked.clear()

    case.crawl(
        case.seed("/a", block=1, line=9, cause=Action.UPDATE),
        by=by,
        done=list(case.sink.records.values()),
    )

    record = case.sink.of(f"{url}/a")
    assert (record.outcome, record.action) == (Outcome.INDEXED, RecordAction.WRITE)
    assert (record.block, record.line, record.cause) == (1, 9, Action.UPDATE)
    assert record.named
    assert record.document is not None
    assert case.site.asked == []


def test_a_command_that_names_a_page_already_met_as_a_link_is_on_its_record(case: Case) -> None:
    case.site.page("/", links=["/a"])
    case.site.page("/a", status=500)
    case.crawl(case.seed("/"))
    assert not case.sink.of(f"{case.site.url}/a").named

    named = case.seed("/a", line=3, cause=Action.UPDATE)
    case.crawl(named, done=list(case.sink.records.values()))

    record = case.sink.of(f"{case.site.url}/a")
    assert (record.named, record.line, record.cause) == (True, 3, Action.UPDATE)
    assert record.outcome is Outcome.FAILED


def test_two_crawls_of_one_site_give_the_same_documents(case: Case) -> None:
    case.site.page("/", links=["/a", "/b"])
    case.site.page("/a", links=["/b"], head='<link rel="canonical" href="/b">')
    case.site.page("/b", links=["/a"], head='<link rel="canonical" href="/a">')
    case.run()
    first = case.index.comparable()
    case.index.documents.clear()
    case.run(concurrency=1)
    assert case.index.comparable() == first
    assert len(first) == 2


def test_documents_that_go_are_named_with_the_reason_up_to_a_limit(
    case: Case, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal_log, "MOST_NAMED", 5)
    url = case.site.url
    case.site.page("/", links=["/a", "/b", "/c", "/d", "/e", "/f", "/never"])
    for name in "abcdef":
        case.site.page(f"/{name}")
    case.run()
    case.site.gone("/a", 410)
    case.site.page("/b", head='<meta name="robots" content="noindex">')
    case.site.redirect("/c", "/")
    case.site.page("/d", head='<link rel="canonical" href="/">')
    case.site.gone("/e")
    case.site.page("/f", head='<link rel="canonical" href="/">')

    with caplog.at_level(logging.INFO, "site_indexer.crawling"):
        counts = case.run()

    assert counts.removed == 6
    assert [record.getMessage() for record in caplog.records] == [
        f"line 2: {url}/a answered 410; its document goes",
        f"line 2: {url}/b says noindex; its document goes",
        f"line 2: {url}/e answered 404; its document goes",
        f"line 2: {url}/c has moved to {url}/; its document goes",
        f"line 2: {url}/d is the same page as {url}/; its document goes",
        "1 more documents go",
    ]


def test_a_site_in_a_network_that_is_not_allowed_ends_the_crawl_at_once(case: Case) -> None:
    for obey in (True, False):
        with pytest.raises(ConfigurationError, match=r"Site small cannot .* allow_networks"):
            case.run(allow_networks=(), obey_robots=obey, entry_points=(f"{case.site.url}/",))
    assert case.site.asked == []


def test_a_further_host_in_a_network_that_is_not_allowed_costs_its_own_pages(case: Case) -> None:
    other = case.site.authority.replace("127.0.0.1", "127.0.0.2")
    case.site.page("/", links=[f"http://{other}/x", "/a"])
    case.site.page("/a")

    counts = case.run(
        entry_points=(f"{case.site.url}/",),
        hosts=(case.site.authority, other),
        allow_networks=("127.0.0.1/32",),
        by={0: rules(rule("include", "http://*"))},
    )

    assert case.stored() == ["/", "/a"]
    assert counts.failures == {"robots-unreachable": 1}
    assert "127.0.0.2 is a loopback" in (case.sink.of(f"http://{other}/x").error or "")
