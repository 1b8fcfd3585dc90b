from __future__ import annotations

import datetime as dt
import io
import itertools

import pytest
from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from demo_site.pdf import pdf
from site_indexer.crawling.extracted import UnreadableError
from site_indexer.crawling.page_source import PageSource
from site_indexer.crawling.pdf import read_pdf

SOURCE = PageSource(
    url="https://h.test/a.pdf",
    content_type="application/pdf",
    headers={"x-robots-tag": ("nofollow",)},
)


def written(*, password: str | None = None, pages: int = 1) -> bytes:
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(100, 100)
    writer.add_metadata(
        {"/Title": "A \n title", "/Subject": "About", "/ModDate": "D:20240301100000+01'00'"}
    )
    if password is not None:
        writer.encrypt(password)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_title_date_and_directives() -> None:
    page = read_pdf(written(), SOURCE, "es")
    assert (page.title, page.description, page.language) == ("A title", "About", "es")
    assert page.date == dt.datetime(2024, 3, 1, 9, tzinfo=dt.UTC)
    assert page.date_source == "pdf:ModDate"
    assert page.directives.nofollow
    assert (page.content_type, page.charset, page.links) == ("application/pdf", "", ())


def test_text() -> None:
    page = read_pdf(pdf("Tides", ("High water at noon.", "Low water at six.")), SOURCE, "en")
    assert "High water at noon." in page.text
    assert "Low water at six." in page.text.split("\n")


def test_a_file_that_cannot_be_opened_is_unreadable() -> None:
    for body in (b"", b"%PDF-1.7", b"no pdf at all", written(password="secret")):
        with pytest.raises(UnreadableError, match=r"https://h\.test/a\.pdf cannot be read"):
            read_pdf(body, SOURCE, "en")


def test_what_would_take_too_long_is_left_out_and_named() -> None:
    ticks = itertools.count(0.0, 20.0)
    page = read_pdf(written(pages=5), SOURCE, "en", clock=lambda: next(ticks))
    assert page.warnings == (
        "https://h.test/a.pdf: its pages from 2 of 5 on are left out, as reading them would take"
        " longer than 30 seconds.",
    )


def test_a_page_that_unpacks_to_much_is_left_out_and_named() -> None:
    writer = PdfWriter(io.BytesIO(pdf("Tides", ("High water at noon.",))))
    page = writer.add_blank_page(100, 100)
    content = StreamObject()
    content.set_data(b"BT (x) Tj ET\n" * 200_000)
    page[NameObject("/Contents")] = writer._add_object(content.flate_encode())
    out = io.BytesIO()
    writer.write(out)
    found = read_pdf(out.getvalue(), SOURCE, "en")
    assert "High water at noon." in found.text
    number = len(writer.pages)
    assert found.warnings == (
        "https://h.test/a.pdf: these pages are left out, as each holds more than 2 MiB of"
        f" drawing: {number}.",
    )


def with_forms(content: bytes, forms: dict[str, bytes]) -> bytes:
    """A page with text, and one of that content; each form can draw all of them."""
    writer = PdfWriter(io.BytesIO(pdf("Tides", ("High water at noon.",))))
    page = writer.add_blank_page(100, 100)
    fonts = writer.pages[0]["/Resources"]["/Font"]  # type: ignore[index]
    drawings = DictionaryObject()
    resources = DictionaryObject({NameObject("/Font"): fonts, NameObject("/XObject"): drawings})
    shared = writer._add_object(resources)
    for name, drawn in forms.items():
        form = StreamObject()
        form.set_data(drawn)
        form = form.flate_encode()
        form[NameObject("/Subtype")] = NameObject("/Form")
        form[NameObject("/Resources")] = shared
        drawings[NameObject(f"/{name}")] = writer._add_object(form)
    stream = StreamObject()
    stream.set_data(content)
    page[NameObject("/Resources")] = shared
    page[NameObject("/Contents")] = writer._add_object(stream)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def shown(text: str) -> bytes:
    return f"BT /F1 12 Tf 10 10 Td ({text}) Tj ET ".encode()


HUGE = shown("huge") * 1_000_000
SMALL = {f"f{n}": f"/f{n + 1} Do /f{n + 1} Do ".encode() for n in range(40)}


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("content", "forms"),
    [
        (b"/a Do ", {"a": HUGE}),
        (b"/#61 Do ", {"a": HUGE}),
        (b"/a\nDo ", {"a": b"/b Do ", "b": HUGE}),
        (b"/a Do " * 5_000, {"a": shown("huge") * 5_000}),
        (b"/f0 Do ", {**SMALL, "f40": shown("huge")}),
    ],
    ids=["large", "escaped", "in another", "often", "doubling"],
)
def test_drawings_that_are_too_much_are_left_out_and_named(
    content: bytes, forms: dict[str, bytes]
) -> None:
    forms = {**forms, "fine": shown("Low water at six.")}
    found = read_pdf(with_forms(b"/fine Do " + content, forms), SOURCE, "en")
    assert "High water at noon." in found.text
    assert "Low water at six." in found.text
    assert found.warnings == (
        "https://h.test/a.pdf: of these pages parts are left out, as with them each would hold more"
        " than 2 MiB of drawing: 2.",
    )


def test_drawings_that_are_not_drawn_or_draw_themselves_cost_nothing() -> None:
    forms = {"a": shown("Low water at six.") + b"/a Do ", "b": HUGE}
    found = read_pdf(with_forms(b"/a Do ", forms), SOURCE, "en")
    assert "Low water at six." in found.text
    assert found.warnings == ()


def test_a_file_without_pages_or_text_is_a_page_without_text() -> None:
    assert read_pdf(written(pages=0), SOURCE, "en").text == ""
    assert read_pdf(written(), SOURCE, "en").text == ""
