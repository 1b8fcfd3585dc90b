"""The language of pages: what they state, and what their text is in."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.page_language import detected_language, language_of

from .pages import extract

CORPUS = Path(__file__).parents[2] / "corpus"
PAGES: list[dict[str, Any]] = json.loads((CORPUS / "pages.json").read_text(encoding="utf-8"))

GERMAN = (
    "Der Leuchtturm steht seit über hundert Jahren auf der Klippe und weist den Schiffen den Weg"
    " in den Hafen. Im Sommer kann man ihn besichtigen; eine Wendeltreppe führt nach oben, von wo"
    " man bei klarem Wetter bis zu den Inseln sehen kann. Wer mag, bleibt zum Abendessen."
)
RUSSIAN = (
    "Маяк стоит на скале уже более ста лет и указывает кораблям путь в гавань. Летом его можно"
    " осмотреть, винтовая лестница ведёт наверх."
)
CODE = (
    "The following command installs the package and starts the service. Then run the tests, and"
    " read the log if one of them fails."
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page["name"]))
def test_the_pages_of_the_corpus_are_in_the_language_that_people_found(
    page: dict[str, Any],
) -> None:
    body = gzip.decompress((CORPUS / "pages" / f"{page['name']}.html.gz").read_bytes())
    found = extract(body, content_type="text/html")
    assert detected_language(found.title, found.text) == page["language"][:2]
    assert found.language == page["language"][:2]


def test_what_a_page_states_counts() -> None:
    assert language_of("de", "", GERMAN, "en") == "de"
    # Nobody can tell by letters; whoever says so knows.
    assert language_of("gsw", "", GERMAN, "en") == "gsw"


def test_else_its_text_tells() -> None:
    assert language_of("", "Der Leuchtturm", GERMAN, "en") == "de"
    assert language_of("", "Маяк", RUSSIAN, "en") == "ru"


@pytest.mark.parametrize("text", ["", "404", "Menü", "x = y + 1;", "\N{GRINNING FACE}" * 50])
def test_else_it_is_in_the_language_of_the_site(text: str) -> None:
    assert language_of("", "", text, "fr") == "fr"
    assert language_of("es", "", text, "fr") == "es"


def test_english_is_not_believed_of_a_text_without_english_words() -> None:
    assert language_of("en", "Der Leuchtturm", GERMAN, "en") == "de"
    assert language_of("en", "A lighthouse", CODE, "de") == "en"
    # A text so short may be anything.
    assert language_of("en", "Der Leuchtturm", GERMAN[:100], "en") == "en"


def test_no_language_is_believed_of_a_text_in_other_letters() -> None:
    assert language_of("en", "", RUSSIAN, "en") == "ru"
    assert language_of("es", "", RUSSIAN, "en") == "ru"
    assert language_of("ru", "", CODE, "ru") == "en"
    assert language_of("ja", "", GERMAN, "ja") == "de"


def test_code_and_names_in_english_make_no_page_english() -> None:
    assert detected_language("", GERMAN + CODE + CODE) == "de"
    assert detected_language("", CODE + CODE + CODE) == "en"


def test_characters_that_are_no_text_cost_no_page() -> None:
    assert detected_language("\x00\x1b", GERMAN.replace(" ", " \x07\ufffe ")) == "de"
    assert detected_language("\ud800", GERMAN + "\udfff") == "de"


@given(st.text(st.characters(codec=None), max_size=300), st.sampled_from(["", "en", "ru", "ja"]))
def test_any_text_has_a_language(text: str, stated: str) -> None:
    assert language_of(stated, text[:20], text, "fr")


@given(st.binary(max_size=400))
def test_nor_do_bytes_read_as_text(body: bytes) -> None:
    assert language_of("", "", body.decode("utf-8", "surrogateescape"), "fr")
