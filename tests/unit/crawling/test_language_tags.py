from __future__ import annotations

import pytest

from site_indexer.crawling.language_tags import primary_language


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("en", "en"),
        (" DE-at ", "de"),
        ("zh_Hant_TW", "zh"),
        ("gsw", "gsw"),
        ("iw", "he"),
        ("in", "id"),
        # Countries in place of languages.
        ("cz", ""),
        ("jp", ""),
        ("ua", ""),
        ("english", ""),
        ("x-default", ""),
        ("en, fr", ""),
        ("und", ""),
        ("mul", ""),
        ("e1", ""),
        ("éàü", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_the_primary_language(tag: str | None, language: str) -> None:
    assert primary_language(tag) == language
