"""The main text of real pages, held against what people marked (tests/corpus/README.md)."""

from __future__ import annotations

import gzip
import json
import re
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.unit.crawling.pages import extract

CORPUS = Path(__file__).parents[2] / "corpus"
PAGES: list[dict[str, Any]] = json.loads((CORPUS / "pages.json").read_text(encoding="utf-8"))
# Chinese and Japanese are written without spaces: each character counts as a word.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
LEAST_ON_AVERAGE = 0.97
LEAST_OF_MOST = 0.9  # at least of 40 pages
LEAST_OF_ANY = 0.8


def words(text: str) -> Counter[str]:
    return Counter(WORD.findall(text.lower()))


def score(found: str, marked: str) -> tuple[float, Counter[str], Counter[str]]:
    """F1 of the words, those that are too many and those that are missing."""
    ours, theirs = words(found), words(marked)
    common = (ours & theirs).total()
    return 2 * common / (ours.total() + theirs.total()), ours - theirs, theirs - ours


def page_named(name: str) -> bytes:
    return gzip.decompress((CORPUS / "pages" / f"{name}.html.gz").read_bytes())


def test_words_are_counted_as_people_would() -> None:
    assert score("One two, TWO", "two: one two")[0] == 1
    assert score("a b", "a c") == (0.5, Counter("b"), Counter("c"))
    assert words("日本語 x_1") == Counter(["日", "本", "語", "x", "1"])


def test_the_main_text_is_what_people_marked() -> None:
    scores = {}
    for page in PAGES:
        name = page["name"]
        marked = (CORPUS / "marks" / f"{name}.txt").read_text(encoding="utf-8")
        # No header states the charset: the page itself does, or nothing.
        found = extract(page_named(name), content_type="text/html")
        scores[name] = score(found.text, marked)
    worst = sorted((value, name) for name, (value, *_) in scores.items())[:5]
    unseen = {page["name"] for page in PAGES if page["held_out"]}
    mean = statistics.fmean(value for value, *_ in scores.values())
    mean_unseen = statistics.fmean(scores[name][0] for name in unseen)
    print(  # noqa: T201
        f"F1 of {len(scores)} pages: mean {mean:.3f}; of the {len(unseen)} that the rules were not"
        f" made by: {mean_unseen:.3f}; worst {worst}"
    )
    low = {name: found for name, found in scores.items() if found[0] < LEAST_OF_ANY}
    assert low == {}
    assert sum(value >= LEAST_OF_MOST for value, *_ in scores.values()) >= 40
    assert min(mean, mean_unseen) >= LEAST_ON_AVERAGE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page["name"])
def test_language_and_heading_of_each_page(page: dict[str, Any]) -> None:
    found = extract(page_named(page["name"]), content_type="text/html", default_language="en")
    assert found.headings or page["name"] in ("postfix", "exiv2")
    assert "\ufffd" not in found.text
    if page["states_language"]:
        assert found.language == page["language"]


def test_the_corpus_is_of_many_sources_and_each_page_says_where_it_is_from() -> None:
    assert len(PAGES) >= 40
    assert len({page["package"] for page in PAGES}) >= 25
    assert len({page["language"] for page in PAGES}) >= 10
    assert all(
        page[field] for page in PAGES for field in ("version", "path", "licence", "made_with")
    )
