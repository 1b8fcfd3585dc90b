from __future__ import annotations

import pytest

from site_indexer.crawling.extracted import UnreadableError
from site_indexer.crawling.extraction import Kind, kind_of
from tests.unit.crawling.pages import URL, extract, extractor, response


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("text/html; charset=x", b"", Kind.HTML),
        (" TEXT/HTML ", b"", Kind.HTML),
        ("application/xhtml+xml", b"", Kind.XHTML),
        ("text/plain", b"<html>", Kind.TEXT),
        ("application/pdf", b"", Kind.PDF),
        ("application/zip", b"<html>", Kind.UNSUPPORTED),
        ("application/xml", b"<urlset>", Kind.UNSUPPORTED),
        (None, b"\xef\xbb\xbf <!DOCTYPE html>", Kind.HTML),
        ("", b"%PDF-1.4", Kind.PDF),
        ("nonsense", b"plain words", Kind.TEXT),
        (None, b"\x00\x01", Kind.UNSUPPORTED),
    ],
)
def test_how_a_type_is_read(content_type: str | None, body: bytes, kind: Kind) -> None:
    assert kind_of(content_type, body) is kind


def test_plain_text_is_indexed_as_it_is() -> None:
    page = extract(b"one  <b>\r\ntwo\tthree\xe9", content_type="text/plain")
    assert page.text == "one <b>\ntwo threeé"
    assert (page.charset, page.charset_source) == ("windows-1252", "guess")
    assert page.title == ""


def test_headers_hold_for_every_type() -> None:
    page = extract("text", ("x-robots-tag", "noindex"), content_type="text/plain")
    assert page.directives.noindex


def test_what_is_not_indexed_is_none() -> None:
    assert extractor().extract(response(b"PK", content_type="application/zip")) is None


def test_damaged_text_is_named() -> None:
    page = extract(b"<p>a\xff</p>")
    assert page.text == "a�"
    assert "not utf-8" in page.warnings[0]


def test_xhtml_is_read_as_xml() -> None:
    page = extract(
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xml:lang="fr" '
        'xmlns="http://www.w3.org/1999/xhtml"><head><title>T&eacute;</title>'
        '<script src="x"/></head>'
        '<body><p>text&nbsp;here</p><a href="/x"/><p>more</p></body></html>',
        content_type="application/xhtml+xml",
    )
    assert page.title == "Té"
    assert page.text == "text here\nmore"
    assert page.language == "fr"
    assert page.followable == ("https://h.test/x",)


def test_xhtml_that_is_not_well_formed_is_read_as_html() -> None:
    page = extract("<html><p>one<p>two", content_type="application/xhtml+xml; charset=utf-8")
    assert page.text == "one\ntwo"


def test_entities_of_xhtml_are_not_expanded() -> None:
    bomb = (
        '<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
        '<!ENTITY f SYSTEM "file:///etc/passwd">]>'
        '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>x&b;y&f;z</p></body></html>'
    )
    text = extract(bomb, content_type="application/xhtml+xml").text
    assert "aaaa" not in text
    assert "root:" not in text


def test_a_file_that_is_no_pdf_is_unreadable() -> None:
    with pytest.raises(UnreadableError, match="cannot be read as a PDF"):
        extract(b"%PDF-1.4 nonsense", content_type="application/pdf")


def test_entities_that_a_page_defines_itself_are_named_and_not_expanded() -> None:
    laughs = "".join(f"<!ENTITY a{n + 1} '{f'&a{n};' * 10}'>" for n in range(9))
    page = extract(
        f"<!DOCTYPE html [<!ENTITY a0 'ha'>{laughs}]><html xmlns='http://www.w3.org/1999/xhtml'>"
        "<body><p title='&a9;'>text &a9;</p></body></html>",
        content_type="application/xhtml+xml",
    )
    assert "text" in page.text
    assert len(page.text) < 100
    assert page.warnings == (f"{URL} defines entities of its own; they are not expanded.",)
