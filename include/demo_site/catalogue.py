"""The page catalogue: every page of the site as data, read from ``content/*.yaml``.

Nothing here depends on a base URL or on the state: paths are absolute paths in the normalized
spelling of docs/spec/02-urls-and-masks.md (percent-encoded UTF-8, upper-case hex digits).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

CONTENT = Path(__file__).parent / "content"
LANGUAGES = ("en", "es", "zh", "ar")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Statement(StrEnum):
    """How a page states its own date."""

    DATE = "date"
    LAST_MODIFIED = "last-modified"
    ARTICLE = "article:modified_time"
    JSON_LD = "json-ld"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Page:
    """One HTML page with a text of its own.

    ``date`` is the date the page states, ``server_date`` that of its Last-Modified header; both
    are UTC. ``canonical`` is a path or a whole URL, empty for a page that names itself.
    """

    path: str
    language: str
    section: str
    title: str
    description: str
    body: str
    date: datetime
    server_date: datetime
    statement: Statement = Statement.DATE
    key: str = ""
    lists_section: bool = False
    listed: bool = True
    in_sitemap: bool = True
    canonical: str = ""
    robots: str = ""
    robots_agent: str = "robots"
    x_robots_tag: str = ""
    charset: str = "utf-8"
    charset_in_header: bool = True
    refresh: str = ""
    base_href: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One entry of a language's navigation."""

    name: str
    path: str
    label: str


@dataclass(frozen=True, slots=True)
class Edition:
    """The site in one language: its name, its navigation and its fixed words."""

    language: str
    direction: str
    name: str
    tagline: str
    home: str
    sections: tuple[Section, ...]
    words: dict[str, str]


@dataclass(frozen=True, slots=True)
class Redirect:
    """A path that answers with a redirect.

    ``to`` is the Location as sent: a path, a whole URL, or one with ``{base}`` for the own site.
    """

    path: str
    to: str
    status: int


@dataclass(frozen=True, slots=True)
class Document:
    """A PDF, or another file, made of lines of text."""

    path: str
    title: str
    date: datetime
    content_type: str
    lines: tuple[str, ...]
    x_robots_tag: str = ""
    in_sitemap: bool = True


@dataclass(frozen=True, slots=True)
class Item:
    """One object of the collection database behind ``/catalog``."""

    number: int
    name: str
    year: int
    place: str
    date: datetime
    summary: str
    details: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The whole site as data. ``gone`` maps a withdrawn path to its status, 404 or 410."""

    editions: dict[str, Edition]
    pages: dict[str, Page]
    redirects: tuple[Redirect, ...]
    gone: dict[str, int]
    documents: tuple[Document, ...]
    items: tuple[Item, ...]


def read_content(name: str) -> dict[str, Any]:
    """The parsed YAML file ``content/<name>.yaml``."""
    with (CONTENT / f"{name}.yaml").open(encoding="utf-8") as stream:
        # A safe loader, in C where PyYAML was built with it.
        content: dict[str, Any] = yaml.load(stream, Loader=_LOADER)  # noqa: S506
    return content


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    """The site as it was first published, before any change of the state."""
    editions: dict[str, Edition] = {}
    pages: dict[str, Page] = {}
    for language in LANGUAGES:
        data = read_content(language)
        editions[language] = _edition(language, data)
        for fields in [*data["pages"], *(read_content("odd").get(language) or [])]:
            page = page_of(language, fields)
            pages[page.path] = page
    routes = read_content("routes")
    return Catalogue(
        editions=editions,
        pages=pages,
        redirects=tuple(Redirect(**fields) for fields in routes["redirects"]),
        gone=dict(routes["gone"]),
        documents=tuple(_document(fields) for fields in routes["documents"]),
        items=tuple(_item(fields) for fields in read_content("items")["items"]),
    )


def page_of(language: str, fields: dict[str, Any]) -> Page:
    """A page from its YAML mapping; ``server_date`` defaults to ``date``."""
    stated = instant(fields["date"])
    rest = {**fields, "date": stated, "server_date": instant(fields.get("server_date", stated))}
    rest["statement"] = Statement(fields.get("statement", Statement.DATE))
    rest.setdefault("section", "")
    return Page(language=language, **rest)


def instant(value: datetime | date) -> datetime:
    """The UTC instant of a YAML date or time.

    A date alone means ten o'clock, when no time zone of the site's languages is on another day.
    """
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    return datetime.combine(value, time(10, 0), tzinfo=UTC)


def _edition(language: str, data: dict[str, Any]) -> Edition:
    return Edition(
        language=language,
        direction=data.get("direction", "ltr"),
        name=data["name"],
        tagline=data["tagline"],
        home=data["home"],
        sections=tuple(Section(**fields) for fields in data["sections"]),
        words=data["words"],
    )


def _document(fields: dict[str, Any]) -> Document:
    return Document(**{**fields, "date": instant(fields["date"]), "lines": tuple(fields["lines"])})


def _item(fields: dict[str, Any]) -> Item:
    return Item(**{**fields, "date": instant(fields["date"])})
