"""*The newer block wins*: what a run may write and remove.

Rule: docs/spec/05-index-lifecycle.md, *Order*. Pure: nothing here asks OpenSearch.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from site_indexer.index_store.change_records import ChangeRecord, RemovalRecord
from site_indexer.masks import compile_mask
from site_indexer.masks.mask_index import MaskIndex
from site_indexer.urls.kinds import MaskKind
from site_indexer.values import value_object


class Removal(Protocol):
    """A removal by a command: of one URL, or of what a mask matches."""

    @property
    def line(self) -> int: ...  # noqa: D102
    @property
    def counts_as(self) -> dt.datetime: ...  # noqa: D102
    @property
    def url(self) -> str | None: ...  # noqa: D102
    @property
    def mask(self) -> str | None: ...  # noqa: D102
    @property
    def mask_kind(self) -> MaskKind | None: ...  # noqa: D102


R = TypeVar("R", bound=Removal)


class Removals(Generic[R]):
    """Removals, asked by URL."""

    def __init__(self, removals: Sequence[R]) -> None:
        self._by_url: dict[str, list[R]] = {}
        self._by_mask: list[R] = []
        masks = []
        for removal in removals:
            if removal.mask is not None and removal.mask_kind is not None:
                self._by_mask.append(removal)
                masks.append(compile_mask(removal.mask, removal.mask_kind))
            elif removal.url is not None:
                self._by_url.setdefault(removal.url, []).append(removal)
        self._masks = MaskIndex(masks)

    def __bool__(self) -> bool:
        return bool(self._by_url or self._by_mask)

    def matching(self, url: str) -> Iterator[R]:
        """All removals that match a normalized URL."""
        yield from self._by_url.get(url, ())
        if self._by_mask:
            for position in self._masks.matching(url):
                yield self._by_mask[position]


@value_object
class BaseDocument:
    """A document of the base. ``block_date``: that of the newest block that wrote it, if any."""

    document_id: str
    url: str
    block_date: dt.datetime | None
    fetched_ms: int


class Cause(StrEnum):
    """Why a document goes."""

    DELETE = "delete"
    DELETEMASK = "deletemask"
    PAGE = "page"  # gone, noindex, merged into another: see the record's facts


@dataclass(frozen=True, slots=True)
class RemovedDocument:
    """A document of the base that goes. ``line`` is that of the command; ``facts`` of a page."""

    document_id: str
    url: str
    cause: Cause
    line: int | None
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RefusedWrite:
    """A page that is not written, as a later block removes it: at ``line``, of that date."""

    document_id: str
    url: str
    line: int
    counts_as: dt.datetime


@dataclass(frozen=True, slots=True)
class Decisions:
    """What a run does to its base.

    ``versions``: the fetch times, in milliseconds, of all documents that are written, by id; of
    these ``updated`` go over another. ``superseded``: ids not written, as the base's version was
    fetched later. ``dates``: the block dates of written documents where they are not their
    record's. ``redated``: likewise, of superseded documents. ``replaced``: what is removed and
    written again; removed for good if writing fails.
    """

    versions: Mapping[str, int]
    updated: frozenset[str]
    superseded: frozenset[str]
    refused: tuple[RefusedWrite, ...]
    removed: tuple[RemovedDocument, ...]
    dates: Mapping[str, dt.datetime]
    redated: Mapping[str, dt.datetime]
    replaced: Mapping[str, RemovedDocument]

    @property
    def empty(self) -> bool:
        """Whether the index would be as before."""
        return not (self.versions or self.removed or self.redated)

    @property
    def created(self) -> int:
        """How many documents are new."""
        return len(self.versions) - len(self.updated)


def decide(
    records: Sequence[ChangeRecord],
    base: Mapping[str, BaseDocument],
    commands: Removals[RemovalRecord],
    standing: Removals[Removal],
) -> Decisions:
    """What comes of a run's records and removals on a base.

    ``records`` have the action ``write`` or ``remove``, one a document. ``base`` holds, by id, the
    documents of the base that a record or a command may concern; others stay as they are.
    ``standing`` are removals of earlier runs.
    """
    outcome = _Outcome(dict(base))
    for document in base.values():
        command = _newest(commands, document)
        if command is not None:
            outcome.removed[document.document_id] = _by_command(document, command)
    for record in records:
        if record.action == "remove":
            outcome.remove(record)
            continue
        date = outcome.date_of(record)
        against = _refusal(record, date, commands, standing)
        if against is None:
            outcome.write(record, date)
        else:
            outcome.refused.append(
                RefusedWrite(record.document_id, record.url, against.line, against.counts_as)
            )
    return outcome.as_decisions()


class _Outcome:
    """The decisions taken so far."""

    def __init__(self, base: Mapping[str, BaseDocument]) -> None:
        self._base = base
        self._updated: set[str] = set()
        self._versions: dict[str, int] = {}
        self._superseded: set[str] = set()
        self._dates: dict[str, dt.datetime] = {}
        self._redated: dict[str, dt.datetime] = {}
        self._replaced: dict[str, RemovedDocument] = {}
        self.removed: dict[str, RemovedDocument] = {}
        self.refused: list[RefusedWrite] = []

    def date_of(self, record: ChangeRecord) -> dt.datetime | None:
        """The date of the newest block that writes or wrote the document."""
        stored = self._base.get(record.document_id)
        return _later(record.counts_as, stored.block_date if stored else None)

    def remove(self, record: ChangeRecord) -> None:
        """A page was found gone; a command that removes its document too comes first."""
        stored = self._base.get(record.document_id)
        if stored is not None and _page_is_gone(record, stored):
            self.removed.setdefault(stored.document_id, _by_page(record))

    def write(self, record: ChangeRecord, date: dt.datetime | None) -> None:
        """A page is written, unless its document was fetched later still: it exists either way."""
        key = record.document_id
        stored = self._base.get(key)
        removed = self.removed.pop(key, None)
        if stored is not None and stored.fetched_ms >= record.version_ms:
            self._superseded.add(key)
            if date is not None and date != stored.block_date:
                self._redated[key] = date
            return
        if removed is not None:
            self._replaced[key] = removed
        if stored is not None:
            self._updated.add(key)
        self._versions[key] = record.version_ms
        if date is not None and date != record.counts_as:
            self._dates[key] = date

    def as_decisions(self) -> Decisions:
        return Decisions(
            versions=self._versions,
            updated=frozenset(self._updated),
            superseded=frozenset(self._superseded),
            refused=tuple(self.refused),
            removed=tuple(self.removed.values()),
            dates=self._dates,
            redated=self._redated,
            replaced=self._replaced,
        )


def _newest(commands: Removals[RemovalRecord], document: BaseDocument) -> RemovalRecord | None:
    """The newest command that removes the document; a newer block than all of them shields it."""
    fitting = [
        command
        for command in commands.matching(document.url)
        if document.block_date is None or command.counts_as >= document.block_date
    ]
    return max(fitting, key=lambda command: (command.block, command.line), default=None)


def _page_is_gone(record: ChangeRecord, stored: BaseDocument) -> bool:
    """Whether a page that was found gone takes its document along.

    Not one that was fetched later, nor one that a newer block wrote. Robots, who have no block,
    know it better than any block if they saw it later.
    """
    if stored.fetched_ms >= record.version_ms:
        return False
    if record.counts_as is None or stored.block_date is None:
        return True
    return record.counts_as >= stored.block_date


def _refusal(
    record: ChangeRecord,
    date: dt.datetime | None,
    commands: Removals[RemovalRecord],
    standing: Removals[Removal],
) -> Removal | None:
    """The removal of a later block, of this run or an earlier one, that keeps a page out."""
    for command in commands.matching(record.url):
        if record.block is None or command.block > record.block:
            return command
    for removal in standing.matching(record.url):
        if date is None or removal.counts_as > date:
            return removal
    return None


def _later(one: dt.datetime | None, other: dt.datetime | None) -> dt.datetime | None:
    return max((date for date in (one, other) if date is not None), default=None)


def _by_command(document: BaseDocument, command: RemovalRecord) -> RemovedDocument:
    cause = Cause.DELETE if command.mask is None else Cause.DELETEMASK
    return RemovedDocument(document.document_id, document.url, cause, command.line)


def _by_page(record: ChangeRecord) -> RemovedDocument:
    line = record.facts.get("line")
    return RemovedDocument(
        record.document_id,
        record.url,
        Cause.PAGE,
        line if isinstance(line, int) else None,
        record.facts,
    )
