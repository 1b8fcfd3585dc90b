"""Which documents an ``update`` lists (docs/spec/03-planning.md, 3.6)."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable
from typing import Any, cast

from site_indexer.crawling.model import (
    FlaggedCommand,
    Outcome,
    PageRecord,
    Reach,
    RecordAction,
    Seed,
)
from site_indexer.index_script.model import Action
from site_indexer.index_store.documents import StoredDocuments, UrlMask
from site_indexer.indexing.run_removals import RunRemovals
from site_indexer.indexing.seeds import UpdateListing, add_seeds, flagged_commands
from site_indexer.masks.mask_index import MaskIndex
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import PlannedCommand
from site_indexer.planning.reading import read_script
from site_indexer.planning.selection import select
from site_indexer.urls.kinds import MaskKind

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


class Base:
    """Stands for the documents of the base."""

    def __init__(self, *urls: str) -> None:
        self._urls = urls

    def matching(self, mask: UrlMask) -> Iterable[str]:
        return [url for url in self._urls if mask.matches(url)]


def update(mask: str, block: int) -> PlannedCommand:
    return PlannedCommand(
        line=10 * block, block=block, block_line=1, mask=mask, mask_kind=MaskKind.PREFIX
    )


def deleted(**blocks: tuple[int, ...]) -> RunRemovals:
    return RunRemovals({f"https://h/{name}": at for name, at in blocks.items()}, MaskIndex(()), ())


def writer(block: int, cause: Action = Action.ADD) -> Reach:
    return Reach(block, 0, 1, cause, named=True, verdict="write")


def record(url: str, *reaches: Reach, action: RecordAction = RecordAction.WRITE) -> PageRecord:
    return PageRecord(
        url, url, NOW, Outcome.INDEXED, action, 0, 1, Action.ADD, named=True, reaches=reaches
    )


def listed(
    base: Base,
    *done: PageRecord,
    removals: RunRemovals | None = None,
    commands: Iterable[PlannedCommand] = (),
) -> list[tuple[str, int]]:
    listing = UpdateListing(commands, removals or deleted())
    seeds = listing.begin(cast(StoredDocuments, cast(Any, base)), done)
    return sorted((seed.url.removeprefix("https://h/"), seed.block) for seed in seeds)


def test_an_add_names_its_url() -> None:
    command = PlannedCommand(line=2, block=1, block_line=1, url="https://h/a", nofollow=True)
    assert add_seeds([command]) == [Seed("https://h/a", 1, 2, Action.ADD, nofollow=True)]


def test_commands_of_both_kinds_that_have_flags_are_told() -> None:
    text = b"""date Sun, 06 Nov 1994 08:49:37 GMT
add https://h/a nofollow
add https://h/b
update https://h/c noindex
include https://h/ nofollow
"""
    selection = select(
        read_script(text, source="test", now=NOW), watermark=None, window=None, now=NOW
    )
    assert flagged_commands(make_plan(selection, None, now=NOW)) == [
        FlaggedCommand(0, Action.ADD, "https://h/a", nofollow=True),
        FlaggedCommand(0, Action.UPDATE, "https://h/c", noindex=True),
    ]


def test_an_update_tells_what_it_would_list_nofollow() -> None:
    nofollow = dataclasses.replace(update("https://h/a", 1), nofollow=True)
    listing = UpdateListing([nofollow, update("https://h/", 1), update("https://h/", 2)], deleted())
    assert listing.is_nofollow("https://h/ab", 3)
    assert not listing.is_nofollow("https://h/b", 3)
    assert not any(listing.is_nofollow("https://h/a", turn) for turn in (2, 4, 5))


def test_the_base_is_listed_less_what_the_run_deletes() -> None:
    base = Base("https://h/a", "https://h/ab", "https://h/b")
    commands = [update("https://h/a", 1)]
    assert listed(base, commands=commands) == [("a", 1), ("ab", 1)]
    assert listed(base, commands=commands, removals=deleted(a=(0,))) == [("ab", 1)]
    assert listed(base, commands=commands, removals=deleted(ab=(5,))) == [("a", 1)]


def test_what_blocks_up_to_its_own_wrote_is_listed_too() -> None:
    commands = [update("https://h/", block) for block in (0, 1, 2)]
    new = record("https://h/new", writer(1))
    assert listed(Base(), new, commands=commands) == [("new", 1), ("new", 2)]
    both = record("https://h/new", writer(0), writer(2))
    assert listed(Base(), both, commands=commands) == [("new", 0), ("new", 1), ("new", 2)]
    kept = record("https://h/new", writer(0), action=RecordAction.KEEP)
    assert listed(Base(), kept, commands=commands) == []
    other = record("https://h/new", Reach(0, 0, 1, Action.ADD, named=True, verdict="follow-only"))
    assert listed(Base(), other, commands=commands) == []


def test_what_an_update_wrote_is_for_later_blocks() -> None:
    commands = [update("https://h/", 0), update("https://h/", 1)]
    new = record("https://h/new", writer(0, Action.UPDATE))
    assert listed(Base(), new, commands=commands) == [("new", 1)]


def test_what_is_deleted_after_it_was_written_is_not_listed() -> None:
    commands = [update("https://h/", block) for block in (0, 2)]
    new = record("https://h/new", writer(0), writer(2))
    assert listed(Base(), new, commands=commands, removals=deleted(new=(1,))) == [("new", 2)]
    assert listed(Base(), new, commands=commands, removals=deleted(new=(2,))) == [("new", 2)]
    assert listed(Base(), new, commands=commands, removals=deleted(new=(3,))) == []
