from __future__ import annotations

import pytest

from site_indexer.crawling.directives import NO_DIRECTIVES, Directives, of_headers, of_meta


def flags(directives: Directives) -> tuple[bool, bool]:
    return directives.noindex, directives.nofollow


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("robots", "noindex", (True, False)),
        ("ROBOTS", "NoIndex , NOFOLLOW", (True, True)),
        ("robots", "none", (True, True)),
        ("robots", "max-image-preview:none", (False, False)),
        ("robots", "max-image-preview: none, nofollow", (False, True)),
        ("robots", "noindexes, xnofollow", (False, False)),
        ("robots", "index, follow", (False, False)),
        ("SiteIndexer", "noindex", (True, False)),
        ("googlebot", "noindex", (False, False)),
        ("description", "noindex", (False, False)),
    ],
)
def test_meta_tags(name: str, content: str, expected: tuple[bool, bool]) -> None:
    assert flags(of_meta(name, content)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["noindex"], (True, False)),
        (["nofollow", "NOINDEX"], (True, True)),
        (["googlebot: noindex"], (False, False)),
        (["googlebot: noindex, nofollow"], (False, False)),
        (["googlebot: nofollow, siteindexer: noindex"], (True, False)),
        (["SiteIndexer: none"], (True, True)),
        (["max-snippet: 20, noindex"], (True, False)),
        (["unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, nofollow"], (False, True)),
        (["googlebot: noindex", "nofollow"], (False, True)),
        ([""], (False, False)),
    ],
)
def test_headers(values: list[str], expected: tuple[bool, bool]) -> None:
    assert flags(of_headers(values)) == expected


def test_they_add_up_and_name_their_sources() -> None:
    both = of_meta("robots", "noindex") | of_headers(["nofollow"])
    assert both == Directives(noindex=True, nofollow=True, source="meta robots, X-Robots-Tag")
    assert both | NO_DIRECTIVES == both
    assert NO_DIRECTIVES | both == both
