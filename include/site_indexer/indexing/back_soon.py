"""A site that answers every URL with one page: "back soon", a log-in, an error with status 200.

Each such answer looks like a page, so nothing but the likeness tells
(docs/spec/05-index-lifecycle.md, 5.10 Review).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from site_indexer.crawling.extracted import digest_of_text
from site_indexer.errors import RunFailedError
from site_indexer.index_store.change_sets import ChangeRecord, ChangeSet
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.shared_texts import pages_with_text, shared_texts

MIN_ALIKE = 5
ONE_IN = 5
"""One page in five alike is too many."""
_TEXTS_AT_ONCE = 200
_NAMED = 3
_SHOWN_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class OneText:
    """A text that so many pages have now and had not before; ``sample`` is its beginning."""

    pages: int
    urls: tuple[str, ...]
    sample: str


def check_one_text(site: str, change_set: ChangeSet, base: StoredDocuments, read: int) -> None:
    """Raise RunFailedError where too many of the ``read`` pages came to share one text.

    ``base`` holds the documents that the run would write over.
    """
    enough = alike_at_least(read)
    for digest in shared_texts(change_set, at_least=enough, most=ONE_IN):
        found = _new_text(change_set, base, digest, enough)
        if found is not None:
            raise _failure(site, found, read)


def alike_at_least(read: int) -> int:
    """How many pages, of so many that were read, are too many to share a new text."""
    return max(MIN_ALIKE, -(-read // ONE_IN))


def _new_text(
    change_set: ChangeSet, base: StoredDocuments, digest: str, enough: int
) -> OneText | None:
    """The text as far as pages came to have it, or None where those are fewer than ``enough``."""
    urls: list[str] = []
    first: ChangeRecord | None = None
    pages = 0
    for record in _without_it_before(pages_with_text(change_set, digest), base, digest):
        pages += 1
        first = first or record
        if len(urls) < _NAMED:
            urls.append(record.url)
    if first is None or pages < enough:
        return None
    return OneText(pages, tuple(urls), _sample(change_set, first))


def _without_it_before(
    records: Iterable[ChangeRecord], base: StoredDocuments, digest: str
) -> Iterator[ChangeRecord]:
    """Those pages whose document, if there is one, has another text."""
    remaining = iter(records)
    while batch := list(itertools.islice(remaining, _TEXTS_AT_ONCE)):
        stored = base.lookup([record.document_id for record in batch], ("text",))
        for record in batch:
            before = stored.get(record.document_id, {}).get("text") or ""
            if digest_of_text(before) != digest:
                yield record


def _sample(change_set: ChangeSet, record: ChangeRecord) -> str:
    """The beginning of the text; empty where the record holds no document (noindex)."""
    whole = change_set.get([record.document_id]).get(record.document_id)
    document = whole.document if whole is not None else None
    text = " ".join(str((document or {}).get("text", "")).split())
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def _failure(site: str, found: OneText, read: int) -> RunFailedError:
    quoted = f' ("{found.sample}")' if found.sample else ""
    return RunFailedError(
        f"{found.pages} of the {read} pages read from {site} now have one and the same text"
        f"{quoted}, which none of them had before. That looks like a site that answers every URL"
        " with one page: maintenance, a log-in, an error. Nothing was published and the watermark"
        " stays.",
        hint=f"Look at {', '.join(found.urls)}. If the site is in trouble, do nothing: the next run"
        " makes it good once it shows its pages again. If the pages are meant to be alike, exclude"
        " them, or set retries.max_failed to 100% in the site file for one run.",
        site=site,
    )
