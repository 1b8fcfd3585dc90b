"""*The newer block wins*, by example and against the rule it stands for.

The rule: the index ends up as if each block were run by itself, oldest first, in whatever runs,
windows, order and repetition the blocks come.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from site_indexer.index_store.change_records import ChangeRecord, RemovalRecord
from site_indexer.index_store.newer_block import BaseDocument, Cause, Decisions, Removals, decide
from site_indexer.index_store.removals import StandingRemoval
from site_indexer.urls.kinds import MaskKind

FIRST = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
HOST = "https://www.example.com/"
PAGES = ("a", "ab", "b", "c")
NO_COMMANDS = Removals[RemovalRecord]([])
NONE_STANDING = Removals[StandingRemoval]([])


def day(number: int) -> dt.datetime:
    return FIRST + dt.timedelta(days=number)


def record(
    page: str, *, block: int | None = 1, action: str = "write", version: int = 100
) -> ChangeRecord:
    counts_as = None if block is None else day(block)
    return ChangeRecord(page, HOST + page, version, action, block, counts_as, facts={"line": 5})


def stored(page: str, *, block: int | None = 1, version: int = 50) -> dict[str, BaseDocument]:
    date = None if block is None else day(block)
    return {page: BaseDocument(page, HOST + page, date, version)}


def delete(page: str, *, block: int, line: int = 7) -> RemovalRecord:
    return RemovalRecord(line, block, day(block), url=HOST + page)


def deletemask(prefix: str, *, block: int, line: int = 8) -> RemovalRecord:
    return RemovalRecord(line, block, day(block), mask=HOST + prefix, mask_kind=MaskKind.PREFIX)


def decided(
    records: Sequence[ChangeRecord] = (),
    base: dict[str, BaseDocument] | None = None,
    commands: Sequence[RemovalRecord] = (),
    standing: Sequence[RemovalRecord] = (),
) -> Decisions:
    return decide(records, base or {}, Removals(commands), Removals(standing))


def written_anew(found: Decisions) -> set[str]:
    """The ids of documents that are new."""
    anew = set(found.versions) - found.updated
    assert len(anew) == found.created
    return anew


class TestWrites:
    def test_a_new_page_is_created_and_a_known_one_updated(self) -> None:
        found = decided([record("a"), record("b")], stored("b"))
        assert written_anew(found) == {"a"}
        assert found.updated == {"b"}
        assert not found.empty

    def test_one_fetched_earlier_than_what_is_there_is_not_written(self) -> None:
        found = decided([record("a", version=50)], stored("a", version=50))
        assert found.superseded == {"a"}
        assert found.empty

    def test_but_its_newer_block_counts(self) -> None:
        found = decided([record("a", block=3, version=40)], stored("a", block=1, version=50))
        assert found.redated == {"a": day(3)}
        assert not found.empty

    def test_a_document_keeps_the_date_of_the_newest_block(self) -> None:
        found = decided([record("a", block=1)], stored("a", block=4))
        assert found.dates == {"a": day(4)}

    def test_robots_keep_the_date_too(self) -> None:
        assert decided([record("a", block=None)], stored("a", block=4)).dates == {"a": day(4)}


class TestRefusals:
    def test_by_a_later_block_of_the_run(self) -> None:
        found = decided([record("a", block=1)], commands=[delete("a", block=2, line=12)])
        assert [(each.line, each.counts_as) for each in found.refused] == [(12, day(2))]
        assert found.empty

    def test_not_by_the_same_block(self) -> None:
        found = decided([record("a", block=2)], commands=[delete("a", block=2)])
        assert written_anew(found) == {"a"}

    def test_by_a_standing_removal_of_a_later_date(self) -> None:
        assert decided([record("a", block=1)], standing=[deletemask("", block=2)]).refused
        assert not decided([record("a", block=2)], standing=[deletemask("", block=2)]).refused

    def test_not_where_a_block_as_new_wrote_the_document(self) -> None:
        found = decided(
            [record("a", block=1)], stored("a", block=2), standing=[delete("a", block=2)]
        )
        assert found.updated == {"a"}

    def test_robots_by_any_standing_removal(self) -> None:
        assert decided([record("a", block=None)], standing=[delete("a", block=0)]).refused

    def test_block_numbers_decide_within_a_run_where_dates_are_equal(self) -> None:
        # Blocks dated ahead of the clock count as dated when they ran.
        early = RemovalRecord(7, 3, day(9), url=HOST + "a")
        late = ChangeRecord("a", HOST + "a", 100, "write", 2, day(9))
        assert decided([late], commands=[early]).refused


class TestRemovals:
    def test_by_commands_with_their_line(self) -> None:
        base = stored("a") | stored("ab") | stored("b")
        commands = [delete("b", block=2, line=3), deletemask("a", block=2, line=4)]
        found = decided(base=base, commands=commands)
        assert {(each.document_id, each.cause, each.line) for each in found.removed} == {
            ("b", Cause.DELETE, 3),
            ("a", Cause.DELETEMASK, 4),
            ("ab", Cause.DELETEMASK, 4),
        }

    def test_not_of_what_a_newer_block_wrote(self) -> None:
        assert decided(base=stored("a", block=3), commands=[delete("a", block=2)]).empty

    def test_of_what_a_block_as_old_wrote(self) -> None:
        assert decided(base=stored("a", block=2), commands=[delete("a", block=2)]).removed

    def test_of_what_no_block_wrote(self) -> None:
        assert decided(base=stored("a", block=None), commands=[delete("a", block=0)]).removed

    def test_of_pages_that_are_gone(self) -> None:
        found = decided([record("a", action="remove")], stored("a"))
        assert [(each.cause, each.line) for each in found.removed] == [(Cause.PAGE, 5)]

    def test_not_of_pages_seen_later_or_never_indexed(self) -> None:
        assert decided([record("a", action="remove", version=40)], stored("a", version=50)).empty
        assert decided([record("a", action="remove")]).empty

    def test_a_command_is_the_cause_before_the_page(self) -> None:
        found = decided(
            [record("a", action="remove", block=2)], stored("a"), [delete("a", block=2, line=3)]
        )
        assert [(each.cause, each.line) for each in found.removed] == [(Cause.DELETE, 3)]

    def test_what_is_written_again_is_replaced(self) -> None:
        found = decided([record("a", block=2)], stored("a"), [delete("a", block=2)])
        assert not found.removed
        assert found.replaced.keys() == found.updated == {"a"}


@dataclass(frozen=True)
class Block:
    """Pages deleted, prefixes deleted by mask, pages added; in this order within the block."""

    deleted: frozenset[str]
    masks: frozenset[str]
    added: frozenset[str]

    def removes(self, page: str) -> bool:
        return page in self.deleted or any(page.startswith(mask) for mask in self.masks)


@dataclass
class Index:
    """What publishing keeps of runs, in memory."""

    documents: dict[str, BaseDocument] = field(default_factory=dict)
    standing: list[RemovalRecord] = field(default_factory=list)
    confirmed: dict[str, dt.datetime] = field(default_factory=dict)
    clock: int = 100

    def run(self, blocks: dict[int, Block], unchanged: bool) -> None:
        """One run of these blocks, by number in the order of their dates."""
        self.clock += 1
        commands = [
            removal
            for number, block in blocks.items()
            for removal in (
                *(delete(page, block=number) for page in block.deleted),
                *(deletemask(mask, block=number) for mask in block.masks),
            )
        ]
        records = []
        for page in PAGES:
            adding = [number for number, block in blocks.items() if page in block.added]
            if not adding:
                continue
            newest = max(adding)
            hidden = any(block.removes(page) for block in blocks.values())
            if unchanged and page in self.documents and not hidden:
                self.confirmed[page] = max(day(newest), self.confirmed.get(page, FIRST))
            else:
                records.append(record(page, block=newest, version=self.clock))
        self._publish(records, commands)

    def _publish(self, records: list[ChangeRecord], commands: list[RemovalRecord]) -> None:
        base = {key: self._dated(each) for key, each in self.documents.items()}
        found = decide(records, base, Removals(commands), Removals(self.standing))
        for removed in found.removed:
            del self.documents[removed.document_id]
        for each in records:
            if each.document_id in found.versions:
                date = found.dates.get(each.document_id, each.counts_as)
                self.documents[each.document_id] = BaseDocument(
                    each.document_id, each.url, date, each.version_ms
                )
        self.standing += commands

    def _dated(self, document: BaseDocument) -> BaseDocument:
        dates = (document.block_date, self.confirmed.get(document.document_id))
        newest = max((date for date in dates if date is not None), default=None)
        return BaseDocument(document.document_id, document.url, newest, document.fetched_ms)


def one_by_one(blocks: Sequence[Block], before: frozenset[str]) -> set[str]:
    """The rule itself."""
    pages = set(before)
    for block in blocks:
        pages = {page for page in pages if not block.removes(page)} | block.added
    return pages


pages = st.frozensets(st.sampled_from(PAGES), max_size=2)
blocks_of_a_script = st.lists(
    st.builds(Block, pages, st.frozensets(st.sampled_from(["a", "b"]), max_size=1), pages),
    min_size=1,
    max_size=5,
)


@settings(max_examples=400)
@given(st.data(), blocks_of_a_script, pages)
def test_any_runs_in_any_order_end_as_the_blocks_one_by_one(
    data: st.DataObject, blocks: list[Block], before: frozenset[str]
) -> None:
    numbers = list(range(1, len(blocks) + 1))
    # Every block at least once, in windows of any blocks, in any order, some of them repeated.
    order = data.draw(st.permutations(numbers))
    cuts = data.draw(st.sets(st.integers(0, len(numbers))))
    edges = sorted({0, len(numbers), *cuts})
    runs = [order[start:end] for start, end in pairwise(edges)]
    runs += data.draw(st.lists(st.sampled_from(runs), max_size=2))
    index = Index()
    for page in before:
        index.documents |= stored(page, block=None)
    for run in runs:
        wanted = {number: blocks[number - 1] for number in sorted(run)}
        index.run(wanted, unchanged=data.draw(st.booleans()))
    assert index.documents.keys() == one_by_one(blocks, before)
