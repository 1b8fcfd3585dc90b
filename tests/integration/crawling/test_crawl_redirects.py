"""Redirects, refreshes and canonicals over real HTTP: which URL a page is stored under."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.integration.crawling.crawling_case import Case, rule, rules
from tests.integration.crawling.small_site import small_site


@pytest.fixture(params=[20_000, 0], ids=["whole", "compact"])
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    with small_site() as site:
        yield Case(site, keep_whole=request.param)


def aliases(case: Case, path: str) -> list[str]:
    found = case.index.by_url()[case.site.url + path]["aliases"]
    return [alias.removeprefix(case.site.url) for alias in found]


def refresh(to: str, seconds: int = 0) -> str:
    return f'<meta http-equiv="refresh" content="{seconds}; url={to}">'


def canonical(to: str) -> str:
    return f'<link rel="canonical" href="{to}">'


def test_a_page_that_moves_for_good_is_stored_under_its_new_url(case: Case) -> None:
    case.site.page("/", links=["/old"])
    case.site.page("/old", "moving")
    case.run()
    case.site.redirect("/old", "/between")
    case.site.redirect("/between", "new", 308)
    case.site.page("/new", "moving")

    counts = case.run()

    assert case.stored() == ["/", "/new"]
    assert aliases(case, "/new") == ["/between", "/old"]
    assert (counts.removed, counts.redirected) == (1, 2)
    assert case.sink.of(f"{case.site.url}/old").target == f"{case.site.url}/between"

    again = case.run()
    assert again.indexed == 0


def test_a_page_that_moves_for_a_while_keeps_its_document(case: Case) -> None:
    case.site.page("/", links=["/a"])
    case.site.page("/a")
    case.run()
    case.site.redirect("/a", "/b", 302)
    case.site.page("/b")

    case.run()

    assert case.stored() == ["/", "/a", "/b"]
    assert aliases(case, "/b") == []


def test_an_alias_of_an_unchanged_document_is_added_to_it(case: Case) -> None:
    case.site.page("/", links=["/a"])
    case.site.page("/a")
    case.run()
    case.site.redirect("/short", "/a")

    counts = case.run(case.seed("/short"))

    assert aliases(case, "/a") == ["/short"]
    assert (counts.indexed, counts.not_modified) == (1, 1)


def test_loops_and_long_chains_fail_and_cost_no_document(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    case.site.page("/loop1")
    case.site.page("/r0")
    case.run(case.seed("/loop1"), case.seed("/r0"))
    case.site.redirect("/loop1", "/loop2")
    case.site.redirect("/loop2", "/loop1")
    for n in range(20):
        case.site.redirect(f"/r{n}", f"/r{n + 1}")

    with caplog.at_level(logging.ERROR, "site_indexer.crawling"):
        counts = case.run(case.seed("/loop1"), case.seed("/r0"), max_redirects=4)

    assert case.stored() == ["/loop1", "/r0"]
    assert counts.failures == {"redirect-loop": 2, "too-many-redirects": 1}
    assert "/r5" not in case.site.paths_asked()
    assert len(caplog.records) == 3


def test_a_redirect_to_another_site_is_recorded_and_not_followed(case: Case) -> None:
    case.site.redirect("/out", "https://elsewhere.test/x")
    case.run(case.seed("/out"))
    record = case.sink.of(f"{case.site.url}/out")
    assert (record.outcome, record.target) == ("redirect", "https://elsewhere.test/x")
    assert case.stored() == []


def test_rules_must_let_both_ends_of_a_redirect_pass(case: Case) -> None:
    url = case.site.url
    case.site.redirect("/a", "/private/a")
    case.site.page("/private/a")
    case.site.redirect("/private/b", "/b")
    case.site.page("/b")
    case.site.page("/", links=["/a", "/private/b"])
    by = {0: rules(rule("exclude", f"{url}/private/"), rule("include", f"{url}/"))}

    case.run(by=by)

    assert case.stored() == ["/"]


def test_flags_of_a_command_go_with_a_redirect(case: Case) -> None:
    case.site.redirect("/go", "/page")
    case.site.page("/page", links=["/linked"])
    case.run(case.seed("/go", nofollow=True))
    assert case.stored() == ["/page"]
    assert case.sink.of(f"{case.site.url}/page").named


def test_a_quick_refresh_is_a_redirect_and_a_slow_one_a_link(case: Case) -> None:
    case.site.page("/", links=["/quick", "/slow"])
    case.site.page("/quick", head=refresh("/a", 10), links=["/not-followed"])
    case.site.page("/slow", head=refresh("/b", 11), links=["/c"])
    for path in ("/a", "/b", "/c"):
        case.site.page(path)

    case.run()

    assert case.stored() == ["/", "/a", "/b", "/c", "/slow"]
    assert aliases(case, "/a") == ["/quick"]


def test_of_pages_that_refresh_to_each_other_the_one_asked_for_first_is_stored(case: Case) -> None:
    case.site.page("/", links=["/one", "/two"])
    case.site.page("/one", head=refresh("/two"), links=["/from-one"])
    case.site.page("/two", head=refresh("/one"), links=["/from-two"])
    case.site.page("/from-one")

    case.run()

    assert case.stored() == ["/", "/from-one", "/one"]
    assert aliases(case, "/one") == ["/two"]
    assert case.run().indexed == 0


def test_a_page_is_stored_under_its_canonical(case: Case) -> None:
    case.site.page("/", links=["/a?print=1", "/a?session=2"])
    for query in ("?print=1", "?session=2"):
        case.site.page(f"/a{query}", head=canonical("/a"))
    case.site.page("/a", head=canonical("/a"))

    counts = case.run()

    assert case.stored() == ["/", "/a"]
    assert aliases(case, "/a") == ["/a?print=1", "/a?session=2"]
    assert counts.duplicates == 2
    assert case.run().indexed == 0


def test_a_page_that_gets_a_canonical_loses_its_document_to_it(case: Case) -> None:
    case.site.page("/", links=["/a", "/b"])
    case.site.page("/a")
    case.site.page("/b")
    case.run()
    case.site.page("/a", head=canonical("/b"))

    counts = case.run()

    assert case.stored() == ["/", "/b"]
    assert counts.removed == 1
    assert aliases(case, "/b") == ["/a"]


@pytest.mark.parametrize("status", [404, 503])
def test_a_canonical_that_does_not_answer_is_taken_once_it_does(case: Case, status: int) -> None:
    case.site.page("/", links=["/a"])
    case.site.page("/a", head=canonical("/c"))
    case.site.page("/c", status=status)
    case.run()
    assert case.stored() == ["/", "/a"]

    case.site.page("/c")
    case.run()
    assert case.stored() == ["/", "/c"]
    assert aliases(case, "/c") == ["/a"]


def test_an_outage_of_a_canonical_undoes_nothing(case: Case) -> None:
    case.site.page("/", links=["/a"])
    case.site.page("/a", head=canonical("/c"))
    case.site.page("/c")
    case.run()
    case.site.page("/c", status=500)

    case.run()

    assert case.stored() == ["/", "/c"]
    assert aliases(case, "/c") == ["/a"]


def test_a_canonical_elsewhere_or_left_out_by_rules_is_not_taken(case: Case) -> None:
    url = case.site.url
    case.site.page("/", links=["/a", "/b", "/c"])
    case.site.page("/a", head=canonical("https://elsewhere.test/"))
    case.site.page("/b", head=canonical("/private/b"))
    case.site.page("/c", head=canonical("/third"))
    case.site.page("/third", head=canonical("/fourth"))
    case.site.page("/fourth")
    by = {0: rules(rule("exclude", f"{url}/private/"), rule("include", f"{url}/"))}

    case.run(by=by)

    assert case.stored() == ["/", "/a", "/b", "/c", "/fourth"]
    assert case.site.paths_asked().count("/private/b") == 0


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_loop_of_canonicals_leaves_exactly_one_document(case: Case, size: int) -> None:
    case.site.page("/", links=[f"/p{n}" for n in range(size)])
    for n in range(size):
        case.site.page(f"/p{n}", head=canonical(f"/p{(n + 1) % size}"))

    for start in ("/", "/p1", "/"):
        counts = case.run(case.seed(start))
        stored = [path for path in case.stored() if path != "/"]
        assert stored == ["/p0"]
        assert aliases(case, "/p0") == [f"/p{n}" for n in range(1, size)]
    assert counts.indexed == 0


def test_a_page_named_with_nofollow_still_finds_its_canonical(case: Case) -> None:
    case.site.page("/a", head=canonical("/b"), links=["/x"])
    case.site.page("/b", links=["/y"])
    case.run(case.seed("/a", nofollow=True))
    assert case.stored() == ["/b"]
    assert case.site.paths_asked() == ["/a", "/b"]
