from __future__ import annotations

import re

from local_opensearch import errors
from site_indexer.errors import SiteIndexerError

OURS: list[type[SiteIndexerError]] = [
    found
    for found in vars(errors).values()
    if isinstance(found, type) and found.__module__ == errors.__name__
]


def test_each_belongs_to_the_products_tree_with_a_code_of_its_own() -> None:
    assert all(issubclass(found, SiteIndexerError) for found in OURS)
    codes = [found.code for found in OURS]
    assert len(codes) == len(set(codes)) > 10
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in codes)


def test_each_ends_the_shell_with_2_or_3() -> None:
    assert {found.exit_status for found in OURS} == {2, 3}
