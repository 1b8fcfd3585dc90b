"""Selectors are checked as a site file is read, not when its run comes to the first page."""

from __future__ import annotations

from pathlib import Path

import pytest

from site_indexer.indexing.site_files import load_one, load_site, load_sites
from site_indexer.sites.loader import SiteFileError

SITE = """\
id: docs
name: Documentation
owner: team@example.com
script: {url: https://docs.example.com/indexlist.txt}
extract:
  content:
    - main
    - CONTENT
  leave_out:
    - LEAVE_OUT
  fields:
    price: FIELD
"""


def write(folder: Path, **selectors: str) -> Path:
    chosen = {"content": "//main", "leave_out": ".menu", "field": "a::attr(href)", **selectors}
    text = SITE
    for name, selector in chosen.items():
        text = text.replace(f"{name.upper()}\n", f"{selector!r}\n")
    path = folder / "docs.yaml"
    path.write_text(text)
    return path


def test_selectors_of_every_kind_are_let_through(tmp_path: Path) -> None:
    site = load_site(write(tmp_path))
    assert site.extract.content == ("main", "//main")
    assert load_site(write(tmp_path, content="//p[contains(@class, 'x')]/text()"))
    assert load_site(write(tmp_path, field="/html/@lang"))


@pytest.mark.parametrize(
    ("selectors", "place"),
    [
        ({"content": "p["}, "docs.yaml:8: extract.content.1: 'p[' is no selector"),
        ({"content": "//p["}, "docs.yaml:8: extract.content.1: "),
        ({"content": "//p[lower(.)]"}, "docs.yaml:8: extract.content.1: "),
        ({"content": "/html/body/div[$x]/p"}, "docs.yaml:8: extract.content.1: "),
        ({"content": "//x:p"}, "docs.yaml:8: extract.content.1: "),
        ({"leave_out": "p:unknown"}, "docs.yaml:10: extract.leave_out.0: "),
        ({"leave_out": "//nav"}, "only CSS selectors can be used here"),
        ({"field": ""}, "docs.yaml:12: extract.fields.price: "),
    ],
)
def test_an_error_names_file_line_and_field(
    tmp_path: Path, selectors: dict[str, str], place: str
) -> None:
    path = write(tmp_path, **selectors)
    with pytest.raises(SiteFileError) as caught:
        load_site(path)
    assert place in str(caught.value)
    assert load_one(path).definition is None
    assert [site.definition for site in load_sites(tmp_path)] == [None]


def test_all_wrong_selectors_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(SiteFileError, match=r"(?s)content\.1.*leave_out\.0.*fields\.price"):
        load_site(write(tmp_path, content="p[", leave_out="q[", field="r["))
