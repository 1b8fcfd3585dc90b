"""Rules, judgements and the dates that date rules ask for (docs/spec/02-urls-and-masks.md)."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from site_indexer.values import value_object


class RuleAction(StrEnum):
    """What a rule does with the URLs that it matches."""

    INCLUDE = "include"
    EXCLUDE = "exclude"


class RuleOrigin(StrEnum):
    """Where a rule comes from; the block's own rules are asked first."""

    SCRIPT = "script"
    SITE = "site"
    ENTRY_POINT = "entry-point"
    ADD = "add"
    UPDATE = "update"


class Outcome(StrEnum):
    """What a rule list says of a URL.

    ``DEPENDS`` comes only where no dates were given: a date rule whose mask matches stands before
    any other rule that decides.
    """

    INCLUDE = "include"
    EXCLUDE = "exclude"
    NO_MATCH = "no-match"
    DEPENDS = "depends"


class UrlMask(Protocol):
    """A compiled mask."""

    def matches(self, url: str) -> bool:
        """Whether the mask matches a normalized URL."""
        ...


@value_object
class DocumentDates:
    """The dates of a document, aware UTC: its own (meta tags, JSON-LD) and the server's.

    ``own`` is that of a sitemap where the page and the server state none.
    """

    own: dt.datetime | None = None
    server: dt.datetime | None = None

    def of_rule(self, *, server_date: bool = False) -> dt.datetime | None:
        """The date that a date rule asks: own before server's, or only the server's."""
        return self.server if server_date else (self.own or self.server)


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a rule list. ``days`` or ``date`` make it a date rule; ``text`` is its source."""

    action: RuleAction
    mask: UrlMask
    origin: RuleOrigin
    text: str
    line: int | None = None
    days: int | None = None
    date: dt.date | None = None
    server_date: bool = False
    nofollow: bool = False
    noindex: bool = False

    @property
    def is_dated(self) -> bool:
        """Whether the rule asks for the document's date."""
        return self.days is not None or self.date is not None


@value_object
class Judgement:
    """What a rule list says of one URL, and by which rule.

    ``date_dependent``: a date rule whose mask matches was asked. ``server_date_decides``: with
    ``DEPENDS``, the server's date alone is enough to decide (no download is needed).
    ``server_date_helps``: with ``DEPENDS``, a rule asks for the server's date only, so that date
    may decide before the page is downloaded (``RuleList.judge_by_server_date``).
    """

    outcome: Outcome
    rule: Rule | None = None
    nofollow: bool = False
    noindex: bool = False
    date_dependent: bool = False
    server_date_decides: bool = False
    server_date_helps: bool = False
