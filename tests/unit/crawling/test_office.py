"""Office files: what other programs wrote, and what nobody should be able to do with one."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import itertools
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling import office_archive
from site_indexer.crawling.extracted import ExtractedPage, UnreadableError
from site_indexer.crawling.office import read_office
from site_indexer.crawling.page_source import PageSource
from tests.unit.crawling.pages import extract

FILES = Path(__file__).parents[2] / "corpus" / "office"
SOURCE = PageSource(
    url="https://h.test/a.docx", content_type="x/y", headers={"x-robots-tag": ("nofollow",)}
)
MODIFIED = dt.datetime(2024, 3, 1, 9, tzinfo=dt.UTC)
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
ROOT_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://h/officeDocument" Target="word/document.xml"/>'
    "</Relationships>"
)


def read(body: bytes, **more: object) -> ExtractedPage:
    return read_office(body, SOURCE, "pt", dt.UTC, **more)  # type: ignore[arg-type]


def archive(**parts: str | bytes) -> bytes:
    """A text document of these parts, their names with ``__`` for a slash."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("_rels/.rels", ROOT_RELATIONS)
        for name, content in parts.items():
            file.writestr(f"{name.replace('__', '/')}.xml", content)
    return out.getvalue()


def document(body: str) -> bytes:
    return archive(word__document=f"<w:document {WORD}><w:body>{body}</w:body></w:document>")


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_a_text_document() -> None:
    page = read((FILES / "report.docx").read_bytes())
    assert (page.title, page.description, page.language) == ("Tide report", "Heights", "en")
    assert page.headings == ("Tides of the cape", "High water")
    assert page.text.split("\n") == [
        "Tides of the cape",
        "High water",
        "The sea rises twice a day. See table.",
        *("Day", "Height", "Monday", "3.1 m"),
    ]
    assert (page.date, page.date_source) == (MODIFIED, "office:modified")
    assert page.directives.nofollow
    assert page.warnings == ()


def test_a_workbook_without_what_is_hidden() -> None:
    page = read((FILES / "heights.xlsx").read_bytes())
    assert (page.title, page.headings) == ("Heights of water", ("Heights",))
    assert page.text == "Heights\nDay Height\nMonday 3.1\nTuesday"


def test_a_presentation_without_what_is_hidden() -> None:
    page = read((FILES / "talk.pptx").read_bytes())
    assert (page.title, page.headings) == ("Talk", ("Tides", "Second"))
    assert page.text == "Tides\nTwice a day\nSecond"


def test_an_opendocument_text() -> None:
    page = read((FILES / "informe.odt").read_bytes())
    assert (page.title, page.description, page.language) == ("Informe", "Alturas", "es")
    assert (page.headings, page.text) == (("Mareas",), "Mareas\nEl mar sube dos veces.")
    assert page.date == MODIFIED


def test_the_type_may_be_stated_or_not() -> None:
    kinds = {
        "informe.odt": "application/vnd.oasis.opendocument.text",
        "report.docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    }
    for name, kind in kinds.items():
        body = (FILES / name).read_bytes()
        assert extract(body, content_type=kind).text == extract(body, content_type=None).text
        assert extract(body, content_type=None).content_type == kind


def test_what_was_deleted_or_stands_there_twice_is_no_text() -> None:
    page = read(
        document(
            paragraph("kept") + "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
            "<w:r><w:t>one</w:t><w:tab/><w:t>two</w:t></w:r></w:p>"
            f"<w:p><x><Choice>{paragraph('box')}</Choice><Fallback>{paragraph('box')}</Fallback>"
            "</x><w:r><w:t>after</w:t></w:r></w:p>"
        )
    )
    assert page.text == "kept\none two\nbox\nafter"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"PK\x03\x04 nonsense", "is no Office file"),
        (b"\xd0\xcf\x11\xe0 an encrypted file", "is encrypted, or of a format older"),
        (archive(other="<x/>"), "holds no text document"),
        (archive(word__document="<w:document"), "cut short"),
        (archive(word__document="<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"), "document type"),
        (b"PK\x01\x02" * 20_001, "more than 20,000 parts"),
    ],
)
def test_what_is_no_office_file_keeps_its_document(body: bytes, words: str) -> None:
    with pytest.raises(UnreadableError, match=words):
        read(body)


def test_an_encrypted_opendocument_file() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("content.xml", b"\x00\x01")
        file.writestr("META-INF/manifest.xml", '<m xmlns:a="u:x"><a:encryption-data/></m>')
    with pytest.raises(UnreadableError, match="is encrypted"):
        read(out.getvalue())


def test_a_part_that_breaks_off_keeps_what_was_before() -> None:
    page = read(archive(word__document=f"<w:document {WORD}>{paragraph('kept')}<w:p><w:oops"))
    assert page.text == "kept"
    assert "word/document.xml is cut short" in page.warnings[0]


def test_a_bomb_is_read_no_further_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office_archive, "MOST_BYTES", 2**20)
    bomb = document(paragraph("kept") + "<w:p/>" * 2_000_000)
    assert len(bomb) < 100_000
    page = read(bomb)
    assert page.text == "kept"
    assert "it holds more than 1 MiB" in page.warnings[0]


def test_a_file_that_takes_long_is_left_where_time_is_up() -> None:
    ticks = itertools.chain([0.0, 1.0, 2.0], itertools.repeat(31.0))
    many = "".join(paragraph(f"{n}") for n in range(20_000))
    page = read(document(many), clock=lambda: next(ticks))
    assert page.text.startswith("0\n1\n2\n")
    assert "takes longer than 30 s" in page.warnings[0]


def test_entities_in_attributes_do_not_grow() -> None:
    laughs = "".join(f"<!ENTITY a{n + 1} '{f'&a{n};' * 10}'>" for n in range(9))
    bomb = f"<!DOCTYPE x [<!ENTITY a0 'ha'>{laughs}]><x a='&a9;'/>"
    with pytest.raises(UnreadableError):
        read(archive(word__document=bomb))


def test_nesting_without_end_is_cut() -> None:
    deep = "<w:x>" * 100_000
    page = read(document(paragraph("kept") + deep))
    assert page.text == "kept"
    assert page.warnings


@given(st.binary(max_size=200), st.integers(0, 1500))
def test_a_damaged_file_is_read_or_refused(noise: bytes, place: int) -> None:
    whole = (FILES / "informe.odt").read_bytes()
    damaged = whole[:place] + noise + whole[place + len(noise) :]
    with contextlib.suppress(UnreadableError):
        assert isinstance(read(damaged).text, str)
