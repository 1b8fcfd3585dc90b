"""Site files: what is read, and what the errors say (docs/spec/07-site-definition.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from site_indexer.sites.loader import SiteFileError, load_one, load_site, load_sites

VALID = """\
id: docs
name: Documentation
owner: team@example.com
timezone: Europe/Madrid
script:
  url: https://docs.example.com/indexlist.txt
entry_points: [https://Docs.Example.com]
masks:
  - exclude *.zip
  - include https://docs.example.com/
crawl:
  delay: 200ms
"""


def write(folder: Path, text: str, name: str = "docs.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_valid_file_is_a_definition_with_polite_defaults(tmp_path: Path) -> None:
    site = load_site(write(tmp_path, VALID))
    assert site.entry_points == ("https://docs.example.com/",)
    assert site.crawl.concurrency == 4
    assert site.crawl.robots == "obey"
    assert site.site_hosts.contains("https://docs.example.com/a")
    assert not site.site_hosts.contains("https://example.com/a")
    assert [rule.line for rule in site.rules] == [1, 2]


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("crawl:\n  delay", "crawl:\n  dealy"), 12, "dealy: unknown field; did you mean 'delay'"),
        (("owner:", "ownr:"), 3, "did you mean 'owner'"),
        (("200ms", "quick"), 12, "expected a duration such as"),
        (("Europe/Madrid", "Europe/Madird"), 4, "unknown time zone"),
        (("https://docs.example.com/indexlist.txt", "ftp://h/x"), 6, "script.url"),
        (("exclude *.zip", "excluded *.zip"), 9, "masks"),
        (("exclude *.zip", "add https://docs.example.com/a"), 9, "belongs into the index script"),
        (("id: docs", "id: dcos"), 1, "but the file is named docs.yaml"),
    ],
)  # fmt: skip
def test_an_error_names_file_line_field_and_what_was_meant(
    tmp_path: Path, change: tuple[str, str], line: int, words: str
) -> None:
    path = write(tmp_path, VALID.replace(*change))
    with pytest.raises(SiteFileError) as caught:
        load_site(path)
    assert f"{path}:{line}" in str(caught.value)
    assert words in str(caught.value)


def test_every_finding_of_a_file_is_shown_at_once(tmp_path: Path) -> None:
    text = VALID.replace("200ms", "quick").replace("Europe/Madrid", "Nowhere")
    with pytest.raises(SiteFileError) as caught:
        load_site(write(tmp_path, text))
    assert "crawl.delay" in str(caught.value)
    assert "timezone" in str(caught.value)


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "id: [unclosed\n", "\xff\xfe"])
def test_what_is_no_mapping_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "docs.yaml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SiteFileError, match=r"docs\.yaml"):
        load_site(path)


def test_a_missing_site_names_the_nearest(tmp_path: Path) -> None:
    write(tmp_path, VALID)
    with pytest.raises(SiteFileError, match="Did you mean 'docs'"):
        load_site(tmp_path / "dosc.yaml")


@pytest.mark.parametrize(
    "site", ["my-token-shop", "the-secret", "Docs", "-docs", "a.b", "", "a" * 62]
)
def test_ids_that_airflow_would_mask_or_that_could_meet_are_refused(
    tmp_path: Path, site: str
) -> None:
    with pytest.raises(SiteFileError, match="id"):
        load_site(write(tmp_path, VALID.replace("id: docs", f"id: {site!r}")))


def test_an_invalid_file_costs_only_its_own_site(tmp_path: Path) -> None:
    write(tmp_path, VALID)
    write(tmp_path, "nonsense", "other.yaml")
    loaded = load_sites(tmp_path)
    assert [(site.id, site.error is None) for site in loaded] == [("docs", True), ("other", False)]
    assert load_one(tmp_path / "other.yaml").definition is None
