from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.json_ld import date_modified


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ('{"dateModified": "2024-03-01"}', "2024-03-01"),
        ('[{"a": {"dateModified": "deep"}}, {"dateModified": "near"}]', "near"),
        ('{"@graph": [{"x": 1}, {"dateModified": "2024"}]}', "2024"),
        ('{"dateModified": null, "b": {"dateModified": "x"}}', "x"),
        ('{"datePublished": "2024"}', None),
        ('{"dateModified": ', None),
        ('"dateModified"', None),
    ],
)
def test_the_date_nearest_to_the_top(text: str, date: str | None) -> None:
    assert date_modified(text) == date


def test_a_structure_without_end_is_given_up() -> None:
    assert date_modified('{"dateModified":' * 500 + "1" + "}" * 500) is None
    wide = "[" + "{}," * 20_000 + '{"dateModified": "2024"}]'
    assert date_modified(wide) is None


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    date_modified(text + "dateModified")
