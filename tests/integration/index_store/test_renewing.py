"""A generation of an earlier version is written anew by the next publish (docs/spec/05, 5.4)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from site_indexer.errors import RunFailedError, StoreRefusedError
from site_indexer.index_store import language_fields, renewing
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.generations import all_generations, current, describe
from site_indexer.index_store.mappings import MAPPING_VERSION, NORMALIZATION_VERSION
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publishing import PublishStatus, publish
from site_indexer.urls import document_id

from .conftest import START, Run, StartRun, url
from .version_one import show_version_one

pytestmark = pytest.mark.opensearch

BEFORE = START - dt.timedelta(days=3)
OldBase = Callable[..., str]


def page(name: str, **more: object) -> dict[str, Any]:
    return {"url": url(name), "title": name, "text": f"text of {name}", **more}


@pytest.fixture
def live(client: StoreClient, names: SiteNames) -> StoredDocuments:
    return StoredDocuments(client, names.alias(Target.LIVE))


@pytest.fixture
def old_base(client: StoreClient, names: SiteNames) -> OldBase:
    def show(*documents: Mapping[str, Any], normalization_version: int = 1) -> str:
        return show_version_one(
            client,
            names,
            list(documents),
            fetched_at=BEFORE,
            normalization_version=normalization_version,
        )

    return show


class TestAnotherMapping:
    def test_all_documents_are_written_anew_and_nothing_is_lost(
        self,
        client: StoreClient,
        names: SiteNames,
        run: StartRun,
        live: StoredDocuments,
        old_base: OldBase,
    ) -> None:
        german = page(
            "wohnen/haus.html",
            language="de",
            title="Ein Haus",
            headings=["Das Haus"],
            description="Haus und Hof",
            text="Wir bauen ein Haus.",
            fields={"price": "12"},
            links=[url("a")],
            aliases=[url("old")],
            date="2026-01-02T00:00:00Z",
        )
        base = old_base(german, page("a", language="en", text="They run."), page("b"))
        version = client.get(index=base, id=document_id(german["url"]))["_version"]
        run().write("c", block=2).publish()

        shown = describe(client, names, names.alias(Target.LIVE))
        assert shown is not None
        assert shown.meta["mapping_version"] == MAPPING_VERSION
        assert shown.sealed
        assert {each["url"] for each in live.all()} == {
            german["url"], url("a"), url("b"), url("c")
        }  # fmt: skip
        key = document_id(german["url"])
        assert client.get(index=shown.name, id=key)["_version"] == version
        found = live.get(key)
        assert found is not None
        assert german.items() <= found.items()
        assert [hit.url for hit in live.search("Häuser").hits] == [german["url"]]
        assert [hit.url for hit in live.search("running").hits] == [url("a")]
        assert [hit.url for hit in live.search("wohnen").hits] == [german["url"]]

    def test_until_then_it_is_searched_as_it_is(
        self, live: StoredDocuments, old_base: OldBase
    ) -> None:
        old_base(page("a", text="They run."), page("b"))
        (hit,) = live.search("THEY run").hits
        assert (hit.url, hit.title) == (url("a"), "a")
        assert hit.highlights == {"text": ("<em>They</em> <em>run</em>.",)}
        assert live.search("running").total == 0

    def test_the_old_generation_stays_as_it_was(
        self, client: StoreClient, names: SiteNames, run: StartRun, old_base: OldBase
    ) -> None:
        base = old_base(page("a"), page("b"))
        run().delete("a", block=2).publish()
        before = StoredDocuments(client, base)
        assert {each["url"] for each in before.all()} == {url("a"), url("b")}
        old = describe(client, names, base)
        assert old is not None
        assert old.meta["mapping_version"] == 1

    def test_a_first_staged_index_is_written_anew_too(
        self, client: StoreClient, names: SiteNames, run: StartRun, old_base: OldBase
    ) -> None:
        base = old_base(page("a", language="en", text="They run."))
        run(target=Target.STAGED).publish()
        staged = StoredDocuments(client, names.alias(Target.STAGED))
        assert [hit.url for hit in staged.search("running").hits] == [url("a")]
        assert current(client, names, Target.LIVE) == base

    def test_a_document_that_does_not_fit_stops_the_publish(
        self,
        client: StoreClient,
        names: SiteNames,
        run: StartRun,
        old_base: OldBase,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        base = old_base(page("a"), page("b"))
        form = language_fields.by_language
        monkeypatch.setattr(
            renewing,
            "by_language",
            lambda document: {**form(document), "unknown": document["url"] == url("b")},
        )
        with pytest.raises(StoreRefusedError, match=r"new mapping, e\.g\."):
            run().write("c", block=2).publish()
        assert current(client, names, Target.LIVE) == base
        assert len(all_generations(client, names)) == 2

    def test_what_the_run_found_is_written_over_it(
        self, run: StartRun, live: StoredDocuments, old_base: OldBase
    ) -> None:
        old_base(*(page(f"p{number}") for number in range(7)))
        run().write("p3", block=2, text="new").publish()
        texts = {each["url"]: each["text"] for each in live.all(fields=("url", "text"))}
        assert texts == {
            **{url(f"p{number}"): f"text of p{number}" for number in range(7)},
            url("p3"): "new",
        }


class TestAnotherNormalization:
    """Documents of a version that kept, say, an empty query and the fragment in URLs."""

    def old(self, name: str, **more: object) -> dict[str, Any]:
        return {**page(name, **more), "url": url(name)}

    def test_documents_get_their_ids_of_today(
        self, client: StoreClient, names: SiteNames, run: StartRun, live: StoredDocuments,
        old_base: OldBase,
    ) -> None:  # fmt: skip
        old_base(
            self.old("a?", links=[url("b?"), url("b")], aliases=[url("old#x")]),
            self.old("b"),
            normalization_version=0,
        )
        run().write("c", block=2).publish()
        shown = describe(client, names, names.alias(Target.LIVE))
        assert shown is not None
        assert shown.meta["normalization_version"] == NORMALIZATION_VERSION
        found = live.get(document_id(url("a")))
        assert found is not None
        assert (found["url"], found["links"], found["aliases"]) == (
            url("a"), [url("b")], [url("old")]
        )  # fmt: skip
        assert live.count() == 3
        assert live.get(document_id(url("a?"))) is None

    def test_of_two_that_become_one_the_last_fetched_stays(
        self, run: StartRun, live: StoredDocuments, old_base: OldBase
    ) -> None:
        old_base(
            self.old("a?", text="older"),
            self.old("a", text="newer"),
            self.old("b", text="older"),
            self.old("b?", text="newer"),
            normalization_version=0,
        )
        run().write("c", block=2).publish()
        texts = {each["url"]: each["text"] for each in live.all(fields=("url", "text"))}
        assert texts == {url("a"): "newer", url("b"): "newer", url("c"): "text"}

    def test_what_the_run_found_is_compared_by_ids_of_today(
        self, run: StartRun, live: StoredDocuments, old_base: OldBase
    ) -> None:
        old_base(
            self.old("a?"), self.old("b?"), self.old("d/1?"), self.old("e?"),
            normalization_version=0,
        )  # fmt: skip
        changes = run().write("a", block=2, text="new").delete("b", block=2)
        changes.deletemask(url("d/"), block=2).gone("e", block=2)
        published = changes.publish()
        assert (published.written, published.removed) == (1, 3)
        texts = {each["url"]: each["text"] for each in live.all(fields=("url", "text"))}
        assert texts == {url("a"): "new"}

    def test_a_run_without_changes_leaves_it_for_the_next(
        self, client: StoreClient, names: SiteNames, run: StartRun, old_base: OldBase
    ) -> None:
        base = old_base(self.old("a?"), normalization_version=0)
        assert run().delete("none", block=2).publish().status is PublishStatus.UNCHANGED
        assert current(client, names, Target.LIVE) == base
        assert len(all_generations(client, names)) == 2

    def test_the_gate_is_asked_before_anything_is_shown(
        self, client: StoreClient, names: SiteNames, run: StartRun, old_base: OldBase
    ) -> None:
        base = old_base(self.old("a?"), self.old("b?"), normalization_version=0)

        def refuse(changes: Any) -> None:
            assert (changes.documents_before, len(changes.decisions.removed)) == (2, 1)
            raise RunFailedError("The brake.")

        with pytest.raises(RunFailedError, match="brake"):
            publish(client, run().delete("a", block=2).request(), gate=refuse)
        assert current(client, names, Target.LIVE) == base
        assert len(all_generations(client, names)) == 2

    def test_a_first_staged_index_has_the_ids_of_today(
        self, client: StoreClient, names: SiteNames, run: Callable[..., Run], old_base: OldBase
    ) -> None:
        base = old_base(self.old("a?"), self.old("b?"), normalization_version=0)
        run(target=Target.STAGED).delete("b", block=2).publish()
        staged = StoredDocuments(client, names.alias(Target.STAGED))
        assert [each["url"] for each in staged.all()] == [url("a")]
        assert current(client, names, Target.LIVE) == base

    def test_standing_removals_of_old_urls_hold(
        self, run: StartRun, live: StoredDocuments, old_base: OldBase,
    ) -> None:  # fmt: skip
        run().write("a?", "b").publish()
        run().delete("a?", block=5).publish()
        run().write("b", block=5).publish()
        old_base(self.old("b"), normalization_version=0)
        published = run().write("a", "c", block=4).publish()
        assert [each.url for each in published.refused] == [url("a")]
        assert {each["url"] for each in live.all()} == {url("b"), url("c")}
