from __future__ import annotations

from typing import Any

import pytest

from site_indexer.index_store.analysis import GENERAL, analysis_settings, analyzer_of
from site_indexer.index_store.language_fields import by_language, plain

URL = "https://www.example.com:8443/shop/Tents_2026/index.php?model=X7"


@pytest.mark.parametrize(
    ("language", "analyzer"),
    [
        ("en", "en"),
        ("nb", "no"),
        ("nn", "no"),
        ("ja", "cjk"),
        ("zh", "cjk"),
        ("ms", "id"),
        ("pl", GENERAL),
        ("cjk", "cjk"),
        ("stem_de", GENERAL),
        ("", GENERAL),
        (None, GENERAL),
    ],
)
def test_the_analyzer_of_a_language(language: str | None, analyzer: str) -> None:
    assert analyzer_of(language) == analyzer
    assert analyzer in analysis_settings()["analyzer"]


def test_every_filter_of_an_analyzer_is_defined_or_built_in() -> None:
    settings = analysis_settings()
    named = {name for each in settings["analyzer"].values() for name in each["filter"]}
    own = {name for name in named if name.startswith(("stem_", "elision_", "possessive_"))}
    own |= {name for name in named if name.startswith("lowercase_")}
    assert own == settings["filter"].keys()


def test_texts_stand_under_their_analyzer_and_come_back() -> None:
    document: dict[str, Any] = {
        "url": URL,
        "language": "de",
        "title": "Zelte",
        "headings": ["Eins", "Zwei"],
        "description": "",
        "text": "Alle Zelte",
        "links": ["https://www.example.com/"],
    }
    held = by_language(document)
    assert held == {
        **document,
        "host": "www.example.com:8443",
        "url_words": "shop Tents 2026 index model X7",
        "title": {"de": "Zelte"},
        "headings": {"de": ["Eins", "Zwei"]},
        "description": {"de": ""},
        "text": {"de": "Alle Zelte"},
    }
    assert document.items() <= plain(held).items()
    assert by_language(held) == held


def test_a_document_of_some_fields_stays_one() -> None:
    assert plain({"url": URL}) == {"url": URL}
    assert plain({"text": {"en": "a"}}) == {"text": "a"}
    assert plain({"text": None}) == {"text": None}
    assert by_language({"url": URL}).keys() == {"url", "host", "url_words"}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", ""),
        ("a-b_c/d.e", "a b c d e"),
        ("about.html", "about"),
        ("report.pdf", "report pdf"),
        ("a.html/b.HTM?x=1", "a html b x 1"),
        ("z%C3%BCrich/%E6%9D%B1%E4%BA%AC", "zürich 東京"),
        ("%FF%00", ""),
        ("x" * 5_000, "x" * 1_000),
    ],
)
def test_words_of_urls(path: str, words: str) -> None:
    assert by_language({"url": f"https://h.test/{path}"})["url_words"] == words
