"""What a change set holds, and its stored form (docs/spec/05-index-lifecycle.md, *Change sets*)."""

from __future__ import annotations

import datetime as dt
import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

from site_indexer.index_store.bulk import Item, encode, index_item
from site_indexer.index_store.instants import from_ms, iso, parse
from site_indexer.index_store.language_fields import by_language, plain
from site_indexer.index_store.mappings import reject_reason
from site_indexer.urls.kinds import MaskKind
from site_indexer.values import value_object

# Of blocks there are few, and of records very many.
_date_of_block = lru_cache(maxsize=10_000)(parse)
_NO_FACTS: Mapping[str, Any] = {}

FULL_TIER = "full"
UNCHANGED = "unchanged"
"""The outcome, among the facts of a page record, of a page that is as the index has it."""


class Kind(StrEnum):
    """What a document of a change set is."""

    PAGE = "page"
    REMOVAL = "removal"
    COMPLETION = "completion"
    OUTCOME = "outcome"
    BASE = "base"


@value_object
class ChangeRecord:
    """What a run found out about one URL; one record a URL, the one fetched last counts.

    ``version_ms`` is the fetch time in milliseconds of the epoch. ``action`` is ``write``,
    ``remove`` or ``keep``. ``block`` and ``counts_as`` (aware) are those of the newest block whose
    judgement counts; both None for what robots found, which is older than any block. ``document``
    may be there with any action, and is indexed only with ``write``. ``facts`` are the caller's,
    JSON-safe; of them ``outcome`` and ``text_digest`` can be counted.
    """

    document_id: str
    url: str
    version_ms: int
    action: str
    block: int | None
    counts_as: dt.datetime | None
    document: Mapping[str, Any] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RemovalRecord:
    """What one ``delete`` or ``deletemask`` removes: a normalized URL, or a mask as written.

    ``matched`` is how many documents it met when it ran, for people; publishing matches again.
    """

    line: int
    block: int
    counts_as: dt.datetime
    url: str | None = None
    mask: str | None = None
    mask_kind: MaskKind | None = None
    matched: int = 0

    @property
    def key(self) -> str:
        """A stable id of what is removed and as of when."""
        kind = self.mask_kind.value if self.mask_kind else "url"
        text = f"{iso(self.counts_as)} {kind} {self.mask if self.mask is not None else self.url}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@value_object
class PageItems:
    """The writes of one page record: to the change set, and of its document to a generation.

    ``document`` is None where none is indexed. ``rejected`` says why one that should be never can
    be (None for all others): it is left out of both, and the record says so.
    """

    change: Item
    document: Item | None
    rejected: str | None


def page_items(record: ChangeRecord) -> PageItems:
    """The writes of a page record. They replace what was fetched earlier under the same URL."""
    document = None if record.document is None else _document(record)
    reason = None
    if record.action == "write":
        reason = "it has no document" if document is None else reject_reason(document)
    if reason is not None:
        document = None
        facts = {**record.facts, "rejected": reason}
        if record.document is not None:
            facts.setdefault("links", record.document.get("links", ()))
        record = replace(record, action="keep", document=None, facts=facts)
    encoded = b"null" if document is None else encode(document)
    indexed = None
    if record.action == "write":
        indexed = _latest(record, encoded)
    return PageItems(_latest(record, _record(record, encoded)), indexed, reason)


def _latest(record: ChangeRecord, source: bytes) -> Item:
    """Replaces what was fetched earlier, and what is made anew of the same fetch."""
    return index_item(
        record.document_id, source, version=record.version_ms, version_type="external_gte"
    )


def _record(record: ChangeRecord, document: bytes) -> bytes:
    """The stored form of a record, around its document that is JSON already."""
    rest = encode(
        {
            "kind": Kind.PAGE.value,
            "document_id": record.document_id,
            "action": record.action,
            "outcome": record.facts.get("outcome"),
            "text_digest": record.facts.get("text_digest"),
            "url": record.url,
            "version_ms": record.version_ms,
            "block": record.block,
            "counts_as": record.counts_as and iso(record.counts_as),
            "facts": record.facts,
        }
    )
    return b"".join((rest[:-1], b',"document":', document, b"}"))


def removal_item(record: RemovalRecord) -> Item:
    """The write of a removal; its id never meets that of a page."""
    return index_item(
        f"removal-{record.block}-{record.line}-{record.key}",
        {
            "kind": Kind.REMOVAL.value,
            "block": record.block,
            "counts_as": iso(record.counts_as),
            **removal_fields(record),
        },
    )


def removal_fields(record: RemovalRecord) -> dict[str, Any]:
    """What the stored forms of a removal have in common."""
    return {
        "line": record.line,
        "url": record.url,
        "mask": record.mask,
        "mask_kind": record.mask_kind and record.mask_kind.value,
        "matched": record.matched,
    }


def to_page(document_id: str, source: Mapping[str, Any]) -> ChangeRecord:
    """The record of a stored page; parts that were not asked for are empty."""
    counts_as = source.get("counts_as")
    document = source.get("document")
    return ChangeRecord(
        document_id=document_id,
        url=source["url"],
        version_ms=source["version_ms"],
        action=sys.intern(source["action"]),
        block=source.get("block"),
        counts_as=_date_of_block(counts_as) if counts_as else None,
        document=plain(document) if document else document,
        facts=source.get("facts") or _NO_FACTS,
    )


def to_removal(source: Mapping[str, Any]) -> RemovalRecord:
    """The record of a stored removal."""
    kind = source.get("mask_kind")
    return RemovalRecord(
        line=source["line"],
        block=source["block"],
        counts_as=parse(source["counts_as"]),
        url=source.get("url"),
        mask=source.get("mask"),
        mask_kind=MaskKind(kind) if kind else None,
        matched=source.get("matched", 0),
    )


def _document(record: ChangeRecord) -> dict[str, Any]:
    """The document as it is indexed. What publishing compares comes from the record alone."""
    document = {
        "tier": FULL_TIER,
        **(record.document or {}),
        "url": record.url,
        "fetched_at": iso(from_ms(record.version_ms)),
    }
    document.pop("block_date", None)
    if record.counts_as is not None:
        document["block_date"] = iso(record.counts_as)
    return by_language(document)
