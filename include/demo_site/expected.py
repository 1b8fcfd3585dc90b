"""What a right indexer holds after a run: computed from the catalogue, without a crawl.

The reasons page by page are in ``content/expected.yaml``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from demo_site.catalogue import Catalogue, catalogue, read_content
from demo_site.changes import changed
from demo_site.dynamic import CALENDAR, CATALOG


@dataclass(frozen=True, slots=True)
class ExpectedDocument:
    """One stored document.

    ``language`` and ``title`` (that of the HTML title element) are None where the file itself
    states none; ``aliases`` are whole URLs.
    """

    url: str
    language: str | None
    title: str | None
    aliases: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the index of the demo site must hold.

    ``documents`` are certain, by URL. Of each set in ``one_of`` exactly one URL is stored, and the
    others are its aliases. ``left_out`` are URLs that the site links to or redirects from and
    that must not be stored, with the reason.
    """

    documents: Mapping[str, ExpectedDocument]
    one_of: tuple[frozenset[str], ...]
    left_out: Mapping[str, str]

    @property
    def count(self) -> int:
        """The number of documents stored."""
        return len(self.documents) + len(self.one_of)

    def problems(self, stored: Iterable[str]) -> list[str]:
        """One sentence for each difference between ``stored`` URLs and what must be stored."""
        found = set(stored)
        choices = frozenset().union(*self.one_of)
        missing = [f"missing: {url}" for url in sorted(self.documents.keys() - found)]
        extra = [
            f"not expected: {url} ({self.left_out.get(url, 'nothing leads here')})"
            for url in sorted(found - self.documents.keys() - choices)
        ]
        unsure = [
            f"exactly one expected of {sorted(group)}, found {sorted(group & found)}"
            for group in self.one_of
            if len(group & found) != 1
        ]
        return missing + extra + unsure


def after_run(base_url: str, changes: tuple[datetime, ...] = ()) -> Expectation:
    """The expectation after all blocks were processed, in one run or in several.

    They are those of the first script and those of the changes made at the dates ``changes``
    (each a ``Change.date``).
    """
    site = changed(catalogue(), changes)
    exceptions = _exceptions()
    left_out = dict(exceptions["left_out"])
    for path in site.gone.keys() - catalogue().gone.keys():
        left_out[path] = f"it was withdrawn and answers {site.gone[path]}"
    aliases = {path: list(others) for path, others in exceptions["aliases"].items()}
    for item in site.items:
        short = f"{CATALOG}?item={item.number}"
        aliases[short] = [f"{short}&view=print"]
    groups = [frozenset(group) for group in exceptions["one_of"]]
    elsewhere = set(left_out).union(*aliases.values(), *groups)
    documents = [
        ExpectedDocument(
            url=base_url + path,
            language=language,
            title=title,
            aliases=frozenset(base_url + alias for alias in aliases.get(path, [])),
        )
        for path, language, title in _everything(site)
        if path not in elsewhere
    ]
    return Expectation(
        documents={document.url: document for document in documents},
        one_of=tuple(frozenset(base_url + path for path in group) for group in groups),
        left_out={base_url + path: reason for path, reason in left_out.items()},
    )


def _everything(site: Catalogue) -> Iterable[tuple[str, str | None, str | None]]:
    """Path, language and title of all that answers 200 and has a text of its own."""
    names = {language: edition.name for language, edition in site.editions.items()}
    for page in site.pages.values():
        yield page.path, page.language, f"{page.title} | {names[page.language]}"
    for document in site.documents:
        yield document.path, None, None
    yield CATALOG, "en", f"Collection database | {names['en']}"
    yield CALENDAR, "en", f"Tide calendar, March 2025 | {names['en']}"
    for item in site.items:
        short = f"{CATALOG}?item={item.number}"
        yield short, "en", f"{item.name} | {names['en']}"
        yield f"{short}&view=full", "en", f"{item.name}: full record | {names['en']}"


@lru_cache(maxsize=1)
def _exceptions() -> dict[str, Any]:
    return read_content("expected")
