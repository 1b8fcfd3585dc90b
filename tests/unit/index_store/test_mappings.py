from __future__ import annotations

import pytest

from site_indexer.index_store.mappings import (
    DOCUMENT_PROPERTIES,
    LONGEST_URL_BYTES,
    generation_body,
    reject_reason,
)

HOST = "https://www.example.com/"


def test_a_plain_document_is_taken() -> None:
    assert reject_reason({"url": HOST, "title": "Home", "fields": {"product": "x"}}) is None


@pytest.mark.parametrize("document", [{}, {"url": ""}, {"url": None}])
def test_one_without_a_url_is_not(document: dict[str, object]) -> None:
    assert reject_reason(document) == "it has no URL"


def test_nor_one_whose_url_is_longer_than_a_term() -> None:
    fits = HOST + "é" * ((LONGEST_URL_BYTES - len(HOST)) // 2)
    assert reject_reason({"url": fits}) is None
    assert "32,766" in (reject_reason({"url": fits + "é"}) or "")


def test_nor_one_with_fields_that_the_mapping_does_not_know() -> None:
    assert "author, colour" in (reject_reason({"url": HOST, "colour": 1, "author": 2}) or "")


def test_the_mapping_is_strict_and_describes_itself() -> None:
    body = generation_body(
        meta={"generation": "a"}, shards=2, settings={"index.blocks.write": True}
    )
    assert body["mappings"]["dynamic"] == "strict"
    assert body["mappings"]["_meta"] == {"generation": "a"}
    assert body["settings"]["index.number_of_shards"] == 2
    assert body["settings"]["index.blocks.write"] is True
    assert body["mappings"]["properties"].keys() == DOCUMENT_PROPERTIES.keys()


def test_every_analyzer_has_a_field_for_its_texts() -> None:
    body = generation_body(meta={}, shards=1, settings={})
    analyzers = body["settings"]["index.analysis"]["analyzer"].keys()
    first, *others = body["mappings"]["dynamic_templates"]
    # A site's own field may be named as a language.
    assert first["fields"]["path_match"] == "fields.*"
    matched = {
        template["path_match"]: template["mapping"]["analyzer"]
        for each in others
        for template in each.values()
    }
    assert matched == {f"*.{name}": name for name in analyzers}
