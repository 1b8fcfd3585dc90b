"""The sites that are crawled: pages that are made up, the same on every machine, and a folder."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NAVIGATION = 8
CHILDREN = 3
IN_TEXT = 13
MODIFIED = 1_700_000_000
"""Seconds since 1970: what the files' Last-Modified says."""

DOCUMENTATION = Path("/usr/share/doc/python3.11/html")
ROBOTS = "User-agent: *\nDisallow: /private/\n"
_PAGES_A_FOLDER = 100
_FORM = "3"  # raised when pages come out differently


@dataclass(frozen=True, slots=True)
class Site:
    """What is crawled: ``prefix`` and ``front`` are paths, ``folder`` is served below ``prefix``.

    ``paths`` are those of all its documents, where they are known beforehand.
    """

    name: str
    title: str
    prefix: str
    front: str
    folder: Path
    paths: frozenset[str] = frozenset()


def made_up_site(home: Path, pages: int) -> Site:
    """A site of so many pages of about 14 KB with 26 links each, written where it is missing."""
    folder = home / f"pages-{pages}"
    if not (folder / f"complete-{_FORM}").exists():
        shutil.rmtree(folder, ignore_errors=True)
        _write(folder, pages)
        (folder / f"complete-{_FORM}").touch()
    return Site(
        name="pages",
        title=f"{pages:,} pages of 14 KB with 26 links each",
        prefix="/site/",
        front=path_of(0),
        folder=folder,
        paths=frozenset(map(path_of, range(pages))),
    )


def documentation_site() -> Site | None:
    """The documentation of Python as Debian packages it (python3.11-doc); None where it is not."""
    if not (DOCUMENTATION / "index.html").is_file():
        return None
    return Site(
        name="documentation",
        title=f"documentation of Python ({DOCUMENTATION})",
        prefix="/docs/",
        front="/docs/index.html",
        folder=DOCUMENTATION,
    )


def path_of(number: int) -> str:
    """The path of a page."""
    return f"/site/{number // _PAGES_A_FOLDER}/page-{number}.html"


def _write(folder: Path, pages: int) -> None:
    chance = random.Random(20_000)
    words = _words(chance)
    # As in languages, few words are most of the text.
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    for number in range(pages):
        path = folder / path_of(number).removeprefix("/site/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(_page(number, pages, chance, words, weights)), encoding="utf-8")
        os.utime(path, (MODIFIED, MODIFIED))


def _words(chance: random.Random) -> list[str]:
    heads = ["b", "br", "d", "f", "g", "kl", "l", "m", "n", "p", "r", "s", "st", "t", "v", "w"]
    tails = ["a", "an", "e", "el", "en", "er", "i", "in", "o", "on", "or", "u", "um", "us"]
    syllables = [head + tail for head in heads for tail in tails]
    # What is most of each text in English, which the pages say they are in.
    most = ["the", "of", "and", "a", "to", "in", "is", "that", "for", "it"]
    return most + list(
        dict.fromkeys(
            "".join(chance.choices(syllables, k=chance.choice((1, 2, 2, 3)))) for _ in range(8_000)
        )
    )


def _targets(number: int, pages: int, chance: random.Random) -> list[int]:
    """The 26 pages that a page links to, each once: navigation, children, neighbours, others."""
    found = dict.fromkeys(range(min(NAVIGATION, pages)))
    children = (CHILDREN * number + child for child in range(1, CHILDREN + 1))
    found.update(dict.fromkeys(child for child in children if child < pages))
    found.update(dict.fromkeys(((number + 1) % pages, (number - 1) % pages)))
    while len(found) < min(NAVIGATION + CHILDREN + 2 + IN_TEXT, pages):
        found[chance.randrange(pages)] = None
    return list(found)


def _page(
    number: int, pages: int, chance: random.Random, words: list[str], weights: list[float]
) -> Iterator[str]:
    title = " ".join(chance.choices(words, k=5)).capitalize()
    summary = " ".join(chance.choices(words, k=15))
    targets = _targets(number, pages, chance)
    menu, others = targets[:NAVIGATION], targets[NAVIGATION:]
    yield f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} {number}</title>
<meta name="description" content="{summary}"><meta name="robots" content="index, follow">
<link rel="stylesheet" href="/style.css"><script>var page = {{"number": {number}}};</script>
</head><body><header><nav><ul>
"""
    for target in menu:
        yield f'<li><a class="menu" href="{path_of(target)}">Part {target}</a></li>\n'
    yield f'</ul></nav></header><main><h1>{title}</h1><p class="summary">{summary}</p>\n'
    for place, target in enumerate(others):
        if place % 6 == 0:
            yield f"<h2>{' '.join(chance.choices(words, k=4)).capitalize()}</h2>\n"
        before = " ".join(chance.choices(words, weights, k=41))
        after = " ".join(chance.choices(words, weights, k=46))
        link = f"../{path_of(target).removeprefix('/site/')}"
        yield f'<p>{before.capitalize()} <a href="{link}">page <em>{target}</em></a> {after}.</p>\n'
    yield '</main><footer><p>Made up. <a href="/private/terms.html">Terms</a></p></footer></body>\n'
