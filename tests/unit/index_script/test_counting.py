"""Numbers of things in sentences."""

from __future__ import annotations

import pytest

from site_indexer.index_script.counting import counted


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 errors"), (1, "1 error"), (2, "2 errors"), (12_345, "12,345 errors")],
)
def test_one_is_no_plural(count: int, words: str) -> None:
    assert counted(count, "error") == words
