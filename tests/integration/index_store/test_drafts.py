"""Drafts on a real OpenSearch (docs/spec/05-index-lifecycle.md, 5.5 Rounds)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable

import pytest

from site_indexer.index_store import draft_writer
from site_indexer.index_store.bulk import Item, bulk_write
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.draft_writer import DraftWriter
from site_indexer.index_store.drafts import (
    DraftPlan,
    all_drafts,
    begin_draft,
    find_draft,
    prune_drafts,
)
from site_indexer.index_store.generations import current, describe
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publishing import Published
from site_indexer.index_store.retention import CHANGES_KEPT
from site_indexer.urls import document_id

from .conftest import Run, Shown, StartRun, day, url

pytestmark = pytest.mark.opensearch

PAGES = tuple(f"p{number}" for number in range(6))


@pytest.fixture(autouse=True)
def worth_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_writer, "WORTH_IT", 2)


Drafted = Callable[..., Run]


@pytest.fixture
def drafted(client: StoreClient, names: SiteNames, run: StartRun) -> Drafted:
    """Begin a run whose crawl makes a draft."""

    def start() -> Run:
        started = run()
        started.new_draft = lambda: DraftWriter(client, plan_of(client, names, started))
        return started

    return start


def plan_of(client: StoreClient, names: SiteNames, run: Run) -> DraftPlan:
    base = current(client, names, Target.LIVE)
    assert base is not None
    return DraftPlan(names, run.changes.index, base, run.request().run_id, 1)


def copied(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What publishing said of drafts."""
    return [text for text in caplog.messages if "while the crawl went on" in text]


@pytest.fixture
def publish(caplog: pytest.LogCaptureFixture) -> Callable[[Run], tuple[Published, list[str]]]:
    def go(run: Run) -> tuple[Published, list[str]]:
        caplog.clear()
        with caplog.at_level("INFO"):
            return run.publish(), copied(caplog)

    return go


Publish = Callable[[Run], tuple[Published, list[str]]]


def test_what_the_crawl_copied_is_published(
    client: StoreClient, names: SiteNames, drafted: Drafted, publish: Publish, shown: Shown
) -> None:
    drafted().write("old", "p0", text="before").publish()
    changes = drafted().write(*PAGES, block=2)
    published, said = publish(changes)
    assert said == ["6 of 6 pages were copied while the crawl went on."]
    assert (published.written, published.documents_after) == (6, 7)
    assert shown() == {"old": "before"} | dict.fromkeys(PAGES, "text")
    assert all_drafts(client, names) == []
    record = next(iter(changes.changes.pages()))
    stored = client.get(index=names.alias(Target.LIVE), id=record.document_id)
    assert stored["_version"] == record.version_ms
    assert stored["_source"]["block_date"] == day(2).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    generation = describe(client, names, names.alias(Target.LIVE))
    assert generation is not None
    assert generation.own
    assert "draft" not in generation.meta


def test_few_pages_make_no_draft(
    client: StoreClient, names: SiteNames, drafted: Drafted, publish: Publish
) -> None:
    changes = drafted().write("a")
    assert all_drafts(client, names) == []
    assert publish(changes)[1] == []


def test_a_page_that_is_kept_in_the_end_stays_as_the_base_has_it(
    drafted: Drafted, publish: Publish, shown: Shown
) -> None:
    drafted().write("a", text="base").publish()
    changes = drafted().write("a", "b", "c", block=2, text="new").unchanged("a", block=2)
    published, said = publish(changes)
    assert said == []
    assert published.written == 2
    assert shown() == {"a": "base", "b": "new", "c": "new"}


def test_a_page_that_is_new_and_not_published_in_the_end_goes(
    drafted: Drafted, publish: Publish, shown: Shown
) -> None:
    changes = drafted().write("a", "b", "c").gone("a").delete("b", block=2)
    published, said = publish(changes)
    assert said == ["1 of 1 pages were copied while the crawl went on."]
    assert [each.url for each in published.refused] == [url("b")]
    assert shown() == {"c": "text"}


def test_what_commands_remove_goes_as_ever(
    drafted: Drafted, publish: Publish, shown: Shown
) -> None:
    drafted().write("a", "b", "c", "d").publish()
    changes = drafted().delete("a", "b", block=2).write("b", "c", block=3, text="new")
    published, said = publish(changes.gone("d", block=3))
    assert said == ["2 of 2 pages were copied while the crawl went on."]
    assert (published.written, published.removed) == (2, 2)
    assert shown() == {"b": "new", "c": "new"}


def test_a_document_keeps_the_date_of_the_newest_block(
    client: StoreClient, names: SiteNames, drafted: Drafted, publish: Publish
) -> None:
    drafted().write("a", "b", block=9).publish()
    assert publish(drafted().write("a", "b", block=3, text="new"))[1] != []
    found = StoredDocuments(client, names.alias(Target.LIVE)).get(document_id(url("a")))
    assert found is not None
    assert found["text"] == "new"
    assert found["block_date"].startswith(day(9).strftime("%Y-%m-%d"))


def test_what_never_came_to_the_draft_is_copied(
    drafted: Drafted, publish: Publish, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafted().write("p0", text="base").publish()
    changes = drafted().write("p0", "p1", "p2", block=2, text="first")
    lost = {document_id(url(page)) for page in ("p1", "p3")}

    def losing(client: StoreClient, index: str, items: Iterable[Item]) -> None:
        bulk_write(client, index, [each for each in items if each.document_id not in lost])

    monkeypatch.setattr(draft_writer, "bulk_write", losing)
    published, said = publish(changes.write(*PAGES, block=2))
    assert said == ["4 of 6 pages were copied while the crawl went on."]
    assert published.written == 6
    assert shown() == dict.fromkeys(PAGES, "text")


def test_a_crawl_that_died_leaves_nothing_that_counts(
    client: StoreClient, names: SiteNames, drafted: Drafted, publish: Publish, shown: Shown
) -> None:
    changes = drafted().write(*PAGES)
    (draft,) = all_drafts(client, names)
    with pytest.raises(RuntimeError, match="died"):  # noqa: SIM117 - the writer must see it
        with changes.changes.writer(DraftWriter(client, plan_of(client, names, changes))):
            raise RuntimeError("died")
    assert find_draft(client, plan_of(client, names, changes)) is None
    assert publish(changes)[1] == []
    assert shown() == dict.fromkeys(PAGES, "text")
    assert describe(client, names, draft.name) is None


def test_the_next_crawl_of_the_run_goes_on(
    client: StoreClient, names: SiteNames, drafted: Drafted, publish: Publish
) -> None:
    changes = drafted().write("a", "b").write("b", text="newer").write("c")
    assert len(all_drafts(client, names)) == 1
    assert publish(changes)[1] == ["3 of 3 pages were copied while the crawl went on."]


def test_where_another_run_published_meanwhile_it_begins_from_that(
    drafted: Drafted, publish: Publish, shown: Shown
) -> None:
    changes = drafted().write(*PAGES, block=2)
    drafted().write("other", block=3).publish()
    published, said = publish(changes)
    assert said == []
    assert published.documents_before == 1
    assert shown() == {"other": "text"} | dict.fromkeys(PAGES, "text")


def test_a_document_that_is_rejected_is_reported(
    drafted: Drafted, publish: Publish, shown: Shown
) -> None:
    drafted().write("a", text="before").publish()
    changes = drafted().write("a", block=2, bytes="many").write("b", "c", block=2)
    published, said = publish(changes)
    assert said == ["2 of 3 pages were copied while the crawl went on."]
    assert [each.document_id for each in published.rejected] == [document_id(url("a"))]
    assert "bytes" in published.rejected[0].reason
    assert shown() == {"a": "before", "b": "text", "c": "text"}


def test_where_the_numbers_do_not_agree_it_begins_from_the_base(
    client: StoreClient,
    names: SiteNames,
    drafted: Drafted,
    publish: Publish,
    shown: Shown,
    caplog: pytest.LogCaptureFixture,
) -> None:
    changes = drafted().write(*PAGES)
    (draft,) = all_drafts(client, names)
    alien = {"url": url("alien"), "fetched_at": "2001-01-01T00:00:00Z"}
    client.index(index=draft.name, id=document_id(url("alien")), body=alien)
    published, _ = publish(changes)
    assert f"Beginning again from {published.base}" in caplog.text
    assert shown() == dict.fromkeys(PAGES, "text")
    assert all_drafts(client, names) == []


def test_what_cannot_be_written_costs_the_draft_alone(
    client: StoreClient,
    names: SiteNames,
    drafted: Drafted,
    publish: Publish,
    shown: Shown,
    caplog: pytest.LogCaptureFixture,
) -> None:
    changes = drafted().write("a", "b")
    (draft,) = all_drafts(client, names)
    client.indices.delete(index=draft.name)
    client.indices.create(index=draft.name, body={"mappings": {"_meta": dict(draft.meta)}})
    client.indices.put_settings(index=draft.name, body={"index.blocks.write": True})
    with caplog.at_level("INFO"):
        changes.write("c", "d")
    assert "Publishing will copy all pages itself" in caplog.text
    assert publish(changes)[1] == []
    assert shown() == dict.fromkeys("abcd", "text")


def test_whoever_writes_late_is_refused(
    client: StoreClient, names: SiteNames, drafted: Drafted, shown: Shown
) -> None:
    changes = drafted().write(*PAGES)
    late = DraftWriter(client, plan_of(client, names, changes))
    changes.publish()
    before = shown()
    changes.new_draft = lambda: late
    changes.write("late", "later")
    assert shown() == before
    assert all_drafts(client, names) == []


class TestPruning:
    def test_a_runs_own_drafts_go_with_it(
        self, client: StoreClient, names: SiteNames, run: StartRun
    ) -> None:
        mine, others = run(), run()
        for each in (mine, others):
            begin_draft(client, plan_of(client, names, each), each.now)
        prune_drafts(client, names, mine.request().run_id, mine.now)
        assert [each.meta["run_id"] for each in all_drafts(client, names)] == [
            others.request().run_id
        ]

    def test_those_of_runs_that_never_ended_go_in_the_end(
        self, client: StoreClient, names: SiteNames, run: StartRun
    ) -> None:
        changes = run()
        begin_draft(client, plan_of(client, names, changes), changes.now)
        prune_drafts(client, names, "another", changes.now + CHANGES_KEPT - dt.timedelta(minutes=1))
        assert len(all_drafts(client, names)) == 1
        prune_drafts(client, names, "another", changes.now + CHANGES_KEPT)
        assert all_drafts(client, names) == []

    def test_only_what_says_of_itself_that_it_is_one(
        self, client: StoreClient, names: SiteNames
    ) -> None:
        index = names.draft(dt.datetime(2001, 1, 1, tzinfo=dt.UTC))
        client.indices.create(index=index, body={"mappings": {"_meta": {"draft": "another"}}})
        prune_drafts(client, names, "any", dt.datetime.now(dt.UTC))
        assert client.indices.exists(index=index)


def test_a_base_that_cannot_be_cloned_as_it_is_gets_no_draft(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    plan = plan_of(client, names, run())
    more_shards = DraftPlan(plan.names, plan.changes, plan.base, plan.run_id, shards=2)
    assert begin_draft(client, more_shards, dt.datetime.now(dt.UTC)) is None
