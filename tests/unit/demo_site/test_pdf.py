"""The PDFs can be read by a program that did not write them."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader

from demo_site.catalogue import Document, catalogue
from demo_site.pdf import pdf

PDFS = [
    document for document in catalogue().documents if document.content_type == "application/pdf"
]


@pytest.mark.parametrize("document", PDFS, ids=lambda document: document.path)
def test_title_and_lines_are_read_back(document: Document) -> None:
    reader = PdfReader(io.BytesIO(pdf(document.title, document.lines)), strict=True)
    assert reader.metadata is not None
    assert reader.metadata.title == document.title
    text = reader.pages[0].extract_text()
    for line in document.lines:
        assert line in text


def test_parentheses_and_backslashes_are_text() -> None:
    reader = PdfReader(io.BytesIO(pdf(r"(a\b)", ("c) \\ (d",))))
    assert "c) \\ (d" in reader.pages[0].extract_text()


def test_letters_that_the_font_lacks_are_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        pdf("潮", ())
