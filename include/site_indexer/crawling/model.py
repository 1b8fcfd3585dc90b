"""What the parts of a crawl hand to each other, and the ports it needs (docs/spec/04-crawling.md).

The crawl knows nothing of OpenSearch: it asks :class:`KnownPages` what the index holds and writes
to a :class:`RecordSink`; the use cases wire both to the store.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from site_indexer.crawling.politeness import Patience
from site_indexer.index_script.model import Action
from site_indexer.values import value_object


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """How to crawl one site; times in seconds, sizes in bytes (docs/spec/07-site-definition.md).

    ``headers`` (a log-in among them) go to the site's own ``hosts`` only, with
    ``headers_need_tls`` over https only.
    """

    site: str
    user_agent: str
    hosts: tuple[str, ...]
    delay_s: float = 0.2
    concurrency: int = 4
    timeout_s: float = 30.0
    max_bytes: int = 10 * 2**20
    max_redirects: int = 10
    follow_changed_only: bool = False
    max_depth: int = 20
    max_pages: int = 50_000
    max_minutes: float = 240.0
    obey_robots: bool = True
    sitemaps: bool = True
    sitemap_urls: tuple[str, ...] = ()
    entry_points: tuple[str, ...] = ()
    allow_networks: tuple[str, ...] = ()
    default_language: str = "en"
    timezone: str = "UTC"
    content_selectors: tuple[str, ...] = ()
    leave_out_selectors: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    retries: int = 2
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    headers_need_tls: bool = False
    proxy: str | None = field(default=None, repr=False)
    patience: Patience = field(default_factory=Patience)


@dataclass(frozen=True, slots=True)
class Seed:
    """A URL that a command names, or that an ``update`` matches. ``url`` is normalized."""

    url: str
    block: int
    line: int
    cause: Action
    nofollow: bool = False
    noindex: bool = False

    @property
    def turn(self) -> int:
        """Its place in the order of execution; see :func:`turn_of`."""
        return turn_of(self.block, self.cause)


@dataclass(frozen=True, slots=True)
class FlaggedCommand:
    """An ``add`` or ``update`` command with flags. ``named``: its URL, or its mask."""

    block: int
    cause: Action
    named: str
    nofollow: bool = False
    noindex: bool = False

    @property
    def turn(self) -> int:
        """Its place in the order of execution; see :func:`turn_of`."""
        return turn_of(self.block, self.cause)


def turn_of(block: int, cause: Action) -> int:
    """The place in the order of execution: oldest block first, in each ``add``, then ``update``.

    A URL is judged once for each turn that reaches it (docs/spec/03-planning.md, 3.6).
    """
    return 2 * block + (cause is Action.UPDATE)


def block_of(turn: int) -> int:
    """The block of a turn."""
    return turn // 2


@value_object
class StoredPage:
    """What the index holds of a page: validators, digest, links to follow after a 304.

    ``links`` are the document's ``links``. ``canonical`` is another page that the page names as
    its original and that could not be taken so far; a 304 does not repeat it.
    """

    url: str
    document_id: str
    etag: str | None
    last_modified: str | None
    content_digest: str
    extractor_version: str
    links: tuple[str, ...]
    nofollow: bool
    date: dt.datetime | None
    server_date: dt.datetime | None
    aliases: tuple[str, ...]
    fetched_at: dt.datetime
    canonical: str | None = None


class KnownPages(Protocol):
    """What the index that the run starts from holds, less what this run's commands remove."""

    def lookup(self, document_ids: Sequence[str]) -> Mapping[str, StoredPage]:
        """The stored pages of those ids that exist, by id."""
        ...

    def document(self, document_id: str) -> dict[str, Any] | None:
        """The whole stored document, or None."""
        ...

    def stands(self, url: str, block: int, written_by: Sequence[int]) -> bool:
        """Whether a URL has a document as a block begins to write.

        That is one of the base, or of one of these blocks before it, that no block up to it
        removes.
        """
        ...


class Outcome(StrEnum):
    """What became of one URL in a crawl."""

    INDEXED = "indexed"  # new or changed: the document is written
    UNCHANGED = "unchanged"  # 304, or the same digest
    NOT_WRITTEN = "not-written"  # noindex of a command or rule: followed, nothing written
    NOINDEX = "noindex"  # the page's own noindex: its document is removed
    GONE = "gone"  # 404 or 410: its document is removed
    REDIRECT = "redirect"  # answered with a redirect; see target and permanent
    DUPLICATE = "duplicate"  # its canonical, ``target``, is indexed in its place
    EXCLUDED = "excluded"  # a rule excludes it, or none matches
    REFUSED = "refused"  # robots.txt forbids it
    FAILED = "failed"  # timeout, 5xx, 429, 403, too large, ...: the document stays
    UNSUPPORTED = "unsupported"  # a content type that is recorded, not indexed


class RecordAction(StrEnum):
    """What publishing does for a record."""

    WRITE = "write"
    REMOVE = "remove"
    KEEP = "keep"


@value_object
class Reach:
    """How a block reached a URL: with which depth, flags, from where, and what its rules said.

    ``cause`` is the action of the command that it began with. ``named``: a command names the URL,
    or one that redirects to it.
    """

    block: int
    depth: int
    line: int
    cause: Action
    named: bool
    nofollow: bool = False
    noindex: bool = False
    found_on: str | None = None
    verdict: str = ""  # "write", "follow-only", "excluded", "no-match", ...
    rule: str | None = None

    @property
    def turn(self) -> int:
        """Its place in the order of execution; see :func:`turn_of`. A URL has one reach a turn."""
        return turn_of(self.block, self.cause)

    @property
    def is_direct(self) -> bool:
        """Whether a command names the URL itself, rather than one that redirects to it."""
        return self.named and self.found_on is None

    @property
    def is_listed(self) -> bool:
        """Whether an ``update`` lists the URL: it does if the URL has a document by then."""
        return self.cause is Action.UPDATE and self.is_direct


@value_object
class PageRecord:
    """What the crawl found out about one URL; one record a URL and run.

    ``fetched_at`` (milliseconds count) is the record's version. ``block`` is the number of the
    block whose judgement counts. ``document`` is the full document where ``action`` is WRITE; it
    is kept with other actions too where a later judgement may still want it written. ``target``
    is where a redirect leads, the page that a duplicate is merged into, or the canonical that a
    page names. ``links`` are normalized and same-site, as a resumed crawl needs them; so are the
    page's own date and the server's, None where there is none. ``links_as_stored``: they are those
    of the document in the index, and need not be kept. ``error`` is a sentence; ``failure`` a
    stable kebab-case word. ``text_digest`` tells which pages that were read share one text, None
    where there is none.
    """

    url: str
    document_id: str
    fetched_at: dt.datetime
    outcome: Outcome
    action: RecordAction
    block: int
    line: int
    cause: Action
    named: bool
    reaches: tuple[Reach, ...]
    status: int | None = None
    target: str | None = None
    permanent: bool = False
    document: Mapping[str, Any] | None = None
    links: tuple[str, ...] = ()
    failure: str | None = None
    error: str | None = None
    bytes: int = 0
    elapsed_ms: int = 0
    warnings: tuple[str, ...] = ()
    not_modified: bool = False
    links_as_stored: bool = False
    own_date: dt.datetime | None = None
    server_date: dt.datetime | None = None
    text_digest: str | None = None

    @property
    def writers(self) -> tuple[Reach, ...]:
        """The reaches that let the page be written."""
        return tuple(reach for reach in self.reaches if reach.verdict == "write")


class Listing(Protocol):
    """Which pages ``update`` commands list because an earlier turn of the run wrote them."""

    def seeds(self, url: str, writers: Sequence[Reach]) -> Iterable[Seed]:
        """The seeds of a page that these reaches write."""
        ...

    def is_nofollow(self, url: str, turn: int) -> bool:
        """Whether a command of the turn would list the URL, nofollow, if it had a document."""
        ...


class RecordSink(Protocol):
    """Where a crawl writes what it finds; batches by itself, the last record of a URL counts."""

    def put(self, record: PageRecord) -> None:
        """Take a record. It may be written later, within about a second."""
        ...

    def get(self, document_ids: Sequence[str]) -> Mapping[str, PageRecord]:
        """The last records taken of those ids, by id, whether written yet or not.

        A crawl reads back the few documents that it has to change at its end (aliases), so that
        it need not hold every document in memory.
        """
        ...

    def flush(self) -> None:
        """Return once everything taken is durable. Raises what writing raised."""
        ...


@dataclass(frozen=True, slots=True)
class CrawlCounts:
    """What a crawl did; ``failures`` counts failed URLs by their word.

    ``excluded_at_least``: more URLs were left out by rules than ``excluded``, too many to remember.
    """

    fetched: int = 0
    indexed: int = 0
    unchanged: int = 0
    not_modified: int = 0
    removed: int = 0
    excluded: int = 0
    excluded_at_least: bool = False
    refused: int = 0
    redirected: int = 0
    duplicates: int = 0
    unsupported: int = 0
    errors: int = 0
    bytes: int = 0
    seconds: float = 0.0
    limit_reached: str | None = None
    failures: Mapping[str, int] = field(default_factory=dict)
