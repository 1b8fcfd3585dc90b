"""Why a URL is, or is not, in the index: the demo site's odd pages (docs/spec/08-shell.md)."""

from __future__ import annotations

from typing import Any

from demo_site.faults import Fault
from site_indexer.index_store.names import Target
from site_indexer.indexing.explaining import explain
from tests.integration.indexing.conftest import NOW, Workbench

# Path, and words of the sentence; the demo site's expected.yaml has the reasons.
NOT_IN_INDEX = {
    "/private/rota.html": "it was not asked for: robots.txt forbids it (Disallow: /private/).",
    "/en/about/field-stations-map.html": "the page itself said noindex",
    "/en/members/forum.html": "no page that was followed links to it",
    "/docs/tides-2025.csv": "exclude *.csv (line 12)",
    "/docs/tides-2025.zip": "exclude *.zip (the site file)",
    "/en/archive/2003-website.html": "the rules left it out (exclude-date 2004-12-31",
    "/en/topics/": "a rule says noindex (include",
    "/en/news/2018-summer-programme.html": "keeps it out (",
    "/en/collections/diving-helmets-draft.html": "keeps it out (*-draft.html)",
    "/en/visit/guestbook.html": "its server answered 410",
    "/en/loop/a": "redirects in a loop",
    "/en/partner-portal": "it led to https://",
}


def asked(workbench: Workbench, path: str, **options: Any) -> dict[str, Any]:
    url = path if "://" in path else f"{workbench.web.url}{path}"
    options.setdefault("target", Target.LIVE)
    return explain(workbench.collaborators, workbench.site, url, now=NOW, **options)


def test_every_reason_has_its_sentence(workbench: Workbench) -> None:
    before = asked(workbench, "/en/")
    assert (before["in_index"], before["generation"]) == (False, None)
    assert "Nothing has been published" in before["sentence"]

    workbench.run()
    found = {path: asked(workbench, path) for path in NOT_IN_INDEX}
    wrong = {
        path: found[path]["sentence"]
        for path, words in NOT_IN_INDEX.items()
        if words not in found[path]["sentence"]
    }
    assert wrong == {}
    assert not any(each["in_index"] for each in found.values())
    assert all(each["advice"] for each in found.values())

    stored = asked(workbench, "/en/visit/night-tours.html")
    assert stored["in_index"]
    assert stored["generation"] == workbench.generation()
    assert stored["document"]["block_date"].startswith("2025-09-22T06:30:00")
    assert stored["last_fetch"]["outcome"] == "indexed"
    assert stored["last_fetch"]["run_id"].startswith("shell__")
    assert stored["last_fetch"]["block_date"] == "2025-09-22T06:30:00Z"
    assert stored["script"]["named_by"]["command"].startswith("add ")
    assert stored["robots"] == {"allowed": True, "rule": None}

    alias = asked(workbench, "/about")
    assert (alias["in_index"], alias["document"]) == (True, None)
    assert alias["stored_as"] == alias["duplicate_of"] == f"{workbench.web.url}/en/about/"

    elsewhere = asked(workbench, "https://elsewhere.example/")
    assert "none of the hosts" in elsewhere["sentence"]

    staged = asked(workbench, "/en/", target=Target.STAGED)
    assert "Nothing has been published" in staged["sentence"]


def test_a_page_that_failed_and_a_script_that_is_gone(workbench: Workbench) -> None:
    workbench.use_script("date Mon, 30 Nov 2026 11:00:00 GMT", "add {web}/en/ nofollow")
    workbench.web.faults.set("/en/", Fault(status=503))
    workbench.run()
    failed = asked(workbench, "/en/")
    assert "could not be fetched" in failed["sentence"]
    assert failed["last_fetch"]["status"] == 503
    assert f"site-indexer fetch {workbench.web.url}/en/" in failed["advice"]
    assert "on the retry list" in failed["advice"]
    assert failed["retry"] == {
        "since": "2026-11-30T12:00:00Z",
        "until": "2026-12-03T12:00:00Z",
        "tries": 1,
        "failure": "server-error",
        "line": 2,
    }

    workbench.web.faults.set("/indexlist.txt", Fault(status=404))
    unknown = asked(workbench, "/en/visit/")
    assert "what the script says is not known" in unknown["sentence"]
    assert unknown["script"]["decision"] is None


def test_a_line_that_waits_for_its_run(workbench: Workbench) -> None:
    workbench.use_script("date Mon, 23 Nov 2026 11:00:00 GMT", "add {web}/en/ nofollow")
    workbench.run()
    workbench.use_script(
        "date Mon, 23 Nov 2026 11:00:00 GMT",
        "add {web}/en/ nofollow",
        "date Tue, 24 Nov 2026 11:00:00 GMT",
        "add {web}/en/visit/ nofollow",
    )
    waiting = asked(workbench, "/en/visit/")
    assert "Line 4 names it" in waiting["sentence"]
    assert "which no run has processed yet" in waiting["sentence"]
