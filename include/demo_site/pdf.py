"""A small PDF with real text, written by hand: one page, one standard font."""

from __future__ import annotations

_TOP, _LEFT, _LEADING = 780, 60, 18


def pdf(title: str, lines: tuple[str, ...]) -> bytes:
    """A one-page PDF 1.4 file that shows ``title`` and ``lines``.

    Texts are encoded as windows-1252 (WinAnsiEncoding); a character outside it raises
    UnicodeEncodeError. The bytes follow from the arguments alone.
    """
    content = b"\n".join(
        [
            b"BT",
            f"/F1 18 Tf {_LEFT} {_TOP} Td".encode(),
            b"(" + _escaped(title) + b") Tj",
            f"/F1 11 Tf 0 -{_LEADING * 2} Td {_LEADING} TL".encode(),
            *(b"(" + _escaped(line) + b") Tj T*" for line in lines),
            b"ET",
        ]
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Title (" + _escaped(title) + b") >>",
    ]
    return _file(objects)


def _file(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        out += b"%010d 00000 n \n" % offset
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (len(objects) + 1, len(objects))
    out += b"startxref\n%d\n%%%%EOF\n" % start
    return bytes(out)


def _escaped(text: str) -> bytes:
    return (
        text.encode("windows-1252")
        .replace(b"\\", rb"\\")
        .replace(b"(", rb"\(")
        .replace(b")", rb"\)")
    )
