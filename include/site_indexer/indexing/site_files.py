"""Reading site files with all that can be checked of them before a run.

Selectors are checked by the parsers that use them, which the definition itself must not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from site_indexer.errors import ConfigurationError
from site_indexer.sites import loader
from site_indexer.sites.definition import SiteDefinition
from site_indexer.sites.loader import LoadedSite


def load_site(path: Path) -> SiteDefinition:
    """Read and validate one site file. Raises SiteFileError with every finding."""
    return loader.load_site(path, selector_findings)


def load_one(path: Path) -> LoadedSite:
    """One site file as a definition or as its error."""
    return loader.load_one(path, selector_findings)


def load_sites(directory: Path) -> list[LoadedSite]:
    """Every site of a folder, sorted by id; an invalid file costs only its own site."""
    return loader.load_sites(directory, selector_findings)


def selector_findings(definition: SiteDefinition) -> Iterator[tuple[Sequence[int | str], str]]:
    """The places of selectors that are none, and why (docs/spec/07-site-definition.md, 7.3)."""
    extract = definition.extract
    if not (extract.content or extract.leave_out or extract.fields):
        return
    # Most sites have no selectors, and their files are read each time that Dags are parsed.
    from site_indexer.crawling.selectors import css_selector, selector  # noqa: PLC0415

    places: list[tuple[tuple[str | int, ...], str, Callable[..., object]]] = [
        *(((("content", number)), text, selector) for number, text in enumerate(extract.content)),
        *(
            (("leave_out", number), text, css_selector)
            for number, text in enumerate(extract.leave_out)
        ),
        *((("fields", name), text, selector) for name, text in extract.fields.items()),
    ]
    for place, text, check in places:
        try:
            check(text, what="It")
        except ConfigurationError as error:
            yield ("extract", *place), f"{error.message.removeprefix('It: ')} {error.hint}"
