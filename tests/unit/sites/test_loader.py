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


def test_hosts_are_those_of_entry_points_script_and_hosts(tmp_path: Path) -> None:
    """docs/spec/02-urls-and-masks.md, 2.3."""
    text = VALID.replace(
        "https://docs.example.com/indexlist.txt", "https://files.example.com/i.txt"
    )
    hosts = load_site(write(tmp_path, f"{text}hosts: [img.example.com, 'h:8080']\n")).site_hosts
    assert hosts.names == ("docs.example.com", "files.example.com", "h:8080", "img.example.com")


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
    text = str(caught.value)
    assert f"{path}:{line}: " in text or (f"{path} has" in text and f"\nline {line}: " in text)
    assert words in text


def test_every_finding_of_a_file_is_shown_at_once(tmp_path: Path) -> None:
    text = VALID.replace("200ms", "quick").replace("Europe/Madrid", "Nowhere")
    with pytest.raises(SiteFileError) as caught:
        load_site(write(tmp_path, text))
    head, *findings = caught.value.message.splitlines()
    assert head == f"{tmp_path / 'docs.yaml'} has 2 errors."
    assert [finding.split(": ")[:2] for finding in findings] == [
        ["line 4", "timezone"],
        ["line 12", "crawl.delay"],
    ]


def test_findings_stand_in_the_order_of_lines_whatever_finds_them(tmp_path: Path) -> None:
    """docs/spec/07-site-definition.md, 7.3: all findings of a file at once."""
    text = VALID.replace("200ms", "quick").replace("owner:", "name: Again\nownr:")
    with pytest.raises(SiteFileError) as caught:
        load_site(write(tmp_path, text))
    findings = caught.value.message.splitlines()[1:]
    assert [finding.split(": ")[:2] for finding in findings] == [
        ["line 1", "owner"],
        ["line 3", "name"],
        ["line 4", "ownr"],
        ["line 13", "crawl.delay"],
    ]


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


@pytest.mark.parametrize(
    "line",
    [
        "timezone: 2020-99-99",  # YAML takes it for a date, and there is no such date
        "language: 1" + "0" * 5_000,  # and this for a number, which Python refuses to read
        "retries: {retry_for: 99999999999999999999d}",
        "retries: {retry_for: 9999999d}",
        "crawl: {max_bytes: 99999999999999999999GiB}",
        "discovery: " + "[" * 900 + "]" * 900,
        "hosts: ['', 'a b']",
        'crawl: {user_agent_contact: "a\\r\\nX-Evil: 1"}',
        "crawl: {user_agent_contact: 日本}",
        "crawl: {timeout: 0s}",
        "crawl: {max_bytes: 0}",
    ],
    ids=lambda line: line[:40],
)
def test_values_that_nothing_can_be_done_with_cost_only_their_own_site(
    line: str, tmp_path: Path
) -> None:
    text = VALID.replace("timezone: Europe/Madrid\n", "").replace("crawl:\n  delay: 200ms\n", "")
    write(tmp_path, f"{text}{line}\n")
    write(tmp_path, VALID.replace("id: docs", "id: other"), "other.yaml")
    broken, whole = load_sites(tmp_path)
    assert broken.error is not None
    assert "docs.yaml" in str(broken.error)
    assert whole.definition is not None


def test_a_field_that_stands_twice_is_an_error_with_both_lines(tmp_path: Path) -> None:
    path = write(tmp_path, f"{VALID}  delay: 1s\nname: Again\n")
    with pytest.raises(SiteFileError) as caught:
        load_site(path)
    assert caught.value.message.splitlines() == [
        f"{path} has 2 errors.",
        "line 13: crawl.delay: stands twice, in line 12 as well",
        "line 14: name: stands twice, in line 2 as well",
    ]


def test_a_field_may_override_what_a_merge_brings(tmp_path: Path) -> None:
    merged = VALID.replace("crawl:\n", "crawl:\n  <<: {delay: 1s}\n")
    assert load_site(write(tmp_path, merged)).crawl.delay.total_seconds() == 0.2


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        ("01:00", "expected hours such as"),
        ("1:00-02:00", "expected a time of day"),
        ("01:00-01:00", "ends where it begins"),
    ],
)
def test_maintenance_hours_that_are_none_are_refused_with_the_form(
    tmp_path: Path, hours: str, words: str
) -> None:
    schedule = f'schedule: {{every: 6h, maintenance: ["{hours}"]}}\n'
    with pytest.raises(SiteFileError, match=words):
        load_site(write(tmp_path, VALID + schedule))
