"""What an extractor makes of the bytes of a page (docs/spec/04-crawling.md, 4.6)."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from site_indexer.crawling.directives import NO_DIRECTIVES, Directives
from site_indexer.errors import PermanentError
from site_indexer.values import value_object

# Raised whenever the same bytes give another document; documents of another version are fetched
# again in full.
EXTRACTOR_VERSION = "5"
_SEPARATOR = "\x1f"


class UnreadableError(PermanentError):
    """A body that claims a type and cannot be read as that."""

    code = "unreadable"


@dataclass(frozen=True, slots=True)
class Refresh:
    """A meta refresh to another page, ``url`` being normalized, after so many seconds."""

    url: str
    seconds: float


@value_object
class ExtractedPage:
    """One page, read.

    ``links``: every http(s) link, normalized, each once, in order. ``followable``: of those the
    ones on the site's own hosts that carry no ``rel=nofollow``. ``canonical`` and ``refresh`` are
    normalized and may be on other sites; ``canonical`` may be the page itself. ``date`` is the date
    that the page states itself, aware UTC, ``date_source`` where it does. ``fields`` are the
    site's own (docs/spec/07-site-definition.md, *extract*). ``charset_source`` is empty for types
    that have no charset. ``warnings`` are sentences.
    """

    title: str = ""
    description: str = ""
    headings: tuple[str, ...] = ()
    text: str = ""
    language: str = ""
    canonical: str | None = None
    refresh: Refresh | None = None
    date: dt.datetime | None = None
    date_source: str | None = None
    links: tuple[str, ...] = ()
    followable: tuple[str, ...] = ()
    directives: Directives = NO_DIRECTIVES
    fields: Mapping[str, str | list[str]] = field(default_factory=dict)
    content_type: str = ""
    charset: str = ""
    charset_source: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def content_digest(self) -> str:
        """32 hex digits that change when something that is indexed changes, and only then.

        They cover title, description, text, headings, language, own date, fields and the
        extractor's version; not links, validators or the server's dates.
        """
        indexed = _SEPARATOR.join(self._indexed()).encode("utf-8", "replace")
        return hashlib.blake2b(indexed, digest_size=16).hexdigest()

    @property
    def text_digest(self) -> str | None:
        """16 hex digits of the text alone, None where there is none; see :func:`digest_of_text`."""
        return digest_of_text(self.text)

    def _indexed(self) -> tuple[str, ...]:
        return (
            EXTRACTOR_VERSION,
            self.title,
            self.description,
            self.text,
            "\n".join(self.headings),
            self.language,
            self.date.isoformat() if self.date else "",
            *(f"{name}={value}" for name, value in sorted(self.fields.items())),
        )


def digest_of_text(text: str) -> str | None:
    """16 hex digits that pages of the same text share, None for a text of white space only."""
    if not text.strip():
        return None
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
