"""What one expression takes for right is what reading field by field finds, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from site_indexer.index_script import Command, parse
from site_indexer.index_script.commands import CommandReader
from site_indexer.index_script.findings import Finding
from site_indexer.index_script.grammar import GRAMMARS
from site_indexer.index_script.plain_lines import command_of, match_plain_line
from site_indexer.index_script.spelling import line_of
from site_indexer.masks import check_mask
from site_indexer.urls import host_of, normalize

HOSTS = st.lists(
    st.sampled_from(
        ["www", "example", "com", "a-b", "a--b", "xn--a", "1", "0x7f", "-a", "a-", "x" * 64, "_"]
    ),
    min_size=1,
    max_size=4,
).map(".".join)
URLS = st.builds(
    "{}://{}{}/{}".format,
    st.sampled_from(["http", "https", "HTTP", "ftp"]),
    HOSTS,
    st.sampled_from(["", ":8080", ":80", ":443", ":0", ":99999", ":"]),
    st.text("abAB01./?=&%:@!$'();+,-_~*#[]|\\\"<> é", max_size=12),
)
LINES = st.builds(
    "{} {}{}".format,
    st.sampled_from(["add", "update", "include", "delete", "exclude", "Add"]),
    URLS,
    st.sampled_from(["", " nofollow", " noindex", " nofollow noindex", " noindex nofollow", ","]),
)


def closely_read(line: str) -> tuple[Command | None, list[Finding]]:
    fields = line.split(" ")
    grammar = GRAMMARS[fields[0].lower()]
    findings: list[Finding] = []
    parts = CommandReader(check_mask).read(fields, grammar, findings)
    return None if parts is None else Command(7, grammar.action, *parts), findings


@settings(max_examples=1000)
@given(LINES)
def test_what_it_matches_reads_the_same_field_by_field(line: str) -> None:
    plain = match_plain_line(line)
    if plain is None:
        return
    command, findings = closely_read(line)
    assert findings == []
    assert command_of(plain, 7) == command
    assert command is not None
    assert line_of(command) == line
    url = plain["url"]
    assert normalize(plain["origin"]) == plain["origin"]
    assert host_of(normalize(url)) == host_of(plain["origin"])
    assert (plain["masking"] is not None) == (command.mask is not None)


@pytest.mark.parametrize(
    ("line", "is_plain"),
    [
        ("add https://www.example.com/news/2024.html?a=1&b=%20 nofollow", True),
        ("delete http://www.example.com:8080/", True),
        ("delete https://h/a https://h/b", False),
        ("add https://www.example.com", False),
        ("add https://h/a, nofollow", False),
        ("add https://h/a,", False),
        ("add https://h/*.pdf", False),
        ("add https://h/a#b", False),
        ("add https://xn--a.example/", False),
        ("add https://10.0.0.1/", False),
        ("add https://h:80/", False),
        ("add  https://h/", False),
        ("ADD https://h/", False),
        ("delete https://h/ nofollow", False),
        ("add https://h/ noindex nofollow", False),
    ],
)
def test_only_the_one_spelling_is_plain(line: str, is_plain: bool) -> None:
    assert (match_plain_line(line) is not None) == is_plain


def test_masks_and_hosts_are_checked_all_the_same() -> None:
    """Plain is the spelling; what may be named is for others to say."""
    text = b"seconds 1\nadd https://h/a\nadd https://other/a\nupdate https://h/bad\n"
    script = parse(
        text,
        source="s",
        check_mask=lambda _, mask: "No." if "bad" in mask else None,
        check_host=lambda url: None if host_of(url) == "h" else ("Foreign.", "Hint."),
    )
    assert [(found.line, found.code, found.message) for found in script.diagnostics] == [
        (3, "foreign-host", "Foreign."),
        (4, "bad-prefix-mask", "No."),
    ]
    assert [command.line for command in script.blocks[0].commands] == [2]


def test_before_a_date_line_nothing_is_plain() -> None:
    script = parse(
        b"add https://h/a\n\nseconds 1\n\nadd https://h/b", source="s", check_mask=check_mask
    )
    assert [(found.line, found.code) for found in script.diagnostics] == [
        (1, "no-date-line"),
        (5, "no-date-line"),
    ]
