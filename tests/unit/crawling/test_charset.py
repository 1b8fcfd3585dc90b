from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.charset import charset_of, decoded
from site_indexer.crawling.encoding_labels import encoding_of


def decide(body: bytes, content_type: str | None = None, *, xml: bool = False) -> tuple[str, str]:
    charset = charset_of(body, content_type, xml=xml)
    return charset.name, charset.source.value


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (codecs.BOM_UTF8 + b"x", "text/html; charset=iso-8859-1", ("utf-8", "bom")),
        ("x".encode("utf-16"), "text/html", ("utf-16le", "bom")),
        (codecs.BOM_UTF16_BE + b"\0x", None, ("utf-16be", "bom")),
        (b'<meta charset="utf-8">', "text/html; charset=ISO-8859-1", ("windows-1252", "header")),
        (b"x", 'text/html; charset="gb2312"', ("gbk", "header")),
        (b"x", "text/html;CHARSET = 'Shift_JIS' ", ("shift_jis", "header")),
        (b"<meta charset=latin1>", "text/html", ("windows-1252", "meta")),
        (b"<META CHARSET='EUC-KR'>", "text/html; charset=nonsense", ("euc-kr", "meta")),
        (
            b'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">',
            None,
            ("koi8-r", "meta"),
        ),
        (b"<!-- <meta charset=koi8-r> --><meta charset=big5>", None, ("big5", "meta")),
        (
            b'<meta name="description" content="charset=koi8-r">\xe9',
            None,
            ("windows-1252", "guess"),
        ),
        (b"<meta charset=utf-16>", None, ("utf-8", "meta")),
        (b"<meta charset=x-user-defined>", None, ("windows-1252", "meta")),
        (b'<?xml version="1.0" encoding="ISO-8859-2"?><p>', None, ("iso-8859-2", "xml")),
        ("<p>é".encode(), None, ("utf-8", "guess")),
        (b"<p>\xe9", None, ("windows-1252", "guess")),
        (b"", None, ("utf-8", "guess")),
    ],
)
def test_decides_as_browsers_do(
    body: bytes, content_type: str | None, expected: tuple[str, str]
) -> None:
    assert decide(body, content_type) == expected


def test_a_meta_element_behind_a_long_script_counts() -> None:
    body = b"<head><script>" + b"x" * 2000 + b"</script><meta charset=koi8-u>"
    assert decide(body) == ("koi8-u", "meta")


def test_the_declaration_of_xml_comes_before_meta_elements() -> None:
    body = b'<?xml version="1.0" encoding="koi8-r"?><meta charset="big5"/>'
    assert decide(body, xml=True) == ("koi8-r", "xml")


@pytest.mark.parametrize(
    ("label", "bytes_", "text"),
    [
        ("iso-8859-1", b"\x93quoted\x94", "“quoted”"),
        ("gb2312", "国際".encode("gb18030"), "国際"),
        ("shift_jis", "①".encode("cp932"), "①"),
        ("euc-kr", "똠".encode("cp949"), "똠"),
        ("tis-620", "ไทย".encode("cp874"), "ไทย"),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, bytes_: bytes, text: str) -> None:
    charset = charset_of(bytes_, f"text/html; charset={label}")
    assert decoded(bytes_, charset) == (text, False)


def test_unreadable_bytes_are_named_and_cost_no_more_than_themselves() -> None:
    body = b"a\xffb"
    assert decoded(body, charset_of(body, "text/html; charset=utf-8")) == ("a�b", True)


def test_encodings_that_no_browser_decodes_give_nothing() -> None:
    body = b"<script>"
    assert decoded(body, charset_of(body, "text/html; charset=iso-2022-kr")) == ("", True)


def test_every_encoding_has_a_codec_of_python() -> None:
    for label in ("866", "latin6", "x-mac-cyrillic", "big5-hkscs", "unicode", "l9", "logical"):
        encoding = encoding_of(f" {label.upper()}\n")
        assert encoding is not None
        assert codecs.lookup(encoding.codec)


@given(st.text(st.characters(codec="utf-8")))
def test_what_is_stated_in_utf_8_is_read_back(text: str) -> None:
    body = text.encode()
    charset = charset_of(codecs.BOM_UTF8 + body, None)
    assert decoded(codecs.BOM_UTF8 + body, charset) == (text, False)


@given(st.binary(max_size=300), st.text(max_size=30))
def test_any_bytes_and_any_header_can_be_decoded(body: bytes, label: str) -> None:
    charset = charset_of(body, f"text/html; charset={label}")
    assert isinstance(decoded(body, charset)[0], str)
