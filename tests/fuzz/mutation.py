"""A plain mutator: takes texts that mean something, and damages them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"

TOKENS: tuple[bytes, ...] = (
    *(b"\n", b"\r", b"\r\n", b"\n\n", b" ", b"\t", b"\v", b"\f", b"\0", b"#", b",", b"*", b"?"),
    *(b"%", b"%2", b"%2F", b"%zz", b"/", b"//", b"\\", b"..", b"/./", b"@", b":", b":80", b"[::1]"),
    *(b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xe2\x82", "é".encode(), "中".encode(), "ſ".encode()),
    *(
        "\u00a0".encode(),
        "\u2028".encode(),
        "\u202e".encode(),
        "\ud7ff".encode(),
        b"\x85",
        b"\x1b[",
    ),
    *(
        b"add ",
        b"update ",
        b"delete ",
        b"deletemask ",
        b"include ",
        b"exclude ",
        b"include-days 7 ",
    ),
    *(
        b"exclude-date 2024-02-29 ",
        b" nofollow",
        b" noindex",
        b" server-date",
        b" regexp ",
        b"date ",
    ),
    *(b"seconds ", b"date Sun, 06 Nov 1994 08:49:37 GMT", b"date Sunday, 06-Nov-94 08:49:37 GMT"),
    *(b"date Sun Nov  6 08:49:37 1994", b"seconds 784111777", b"99999999999999999999", b"-1", b"0"),
    *(
        b"+0100",
        b"-2359",
        b"24:00:00",
        b"60",
        b"Feb",
        b"31",
        b"https://",
        b"http:",
        b"ftp://",
        b"h",
    ),
    *(
        b"(",
        b")",
        b"[",
        b"]",
        b"{1,3}",
        b"{1001}",
        b"\\1",
        b"(?=",
        b"[[:<:]]",
        b"[[:digit:]]",
        b"|",
    ),
    *(
        b"(a+)+$",
        b"^",
        b"$",
        b".*",
        b"(?i)",
        b"\\Q",
        b"xn--",
        b"xn--a",
        b"1.2.3",
        b"0x7f.1",
        b"<html>",
    ),
)


def script_seeds() -> list[bytes]:
    """Every script of the documentation, and each line of them."""
    scripts: list[str] = []
    for page in sorted(DOCS.rglob("*.md")):
        scripts += re.findall(r"```[^\n]*\n(.*?)```", page.read_text(), re.DOTALL)
    meaningful = [text for text in scripts if re.search(r"(?m)^(?:date|seconds) ", text)]
    return [text.encode() for text in meaningful] + [
        line.encode() for text in meaningful for line in text.splitlines() if line
    ]


def url_seeds() -> list[bytes]:
    """URLs and masks of the documentation, and some that are odd."""
    found: set[str] = set()
    for page in sorted(DOCS.rglob("*.md")):
        found.update(re.findall(r"https?://[^\s`)>\"]+", page.read_text()))
    odd = (
        *("http://user:pw@EXAMPLE.com:80/%7Ea/../b?q=1#f", "https://bücher.example/ä b", "//h/a"),
        *("https://[2001:DB8::0:1]:443/", "http://0x7f.1/", "https://h./a/./b/..", "?q", "#f", ""),
        *(
            "https://h/%zz%2f%41?%",
            "javascript:alert(1)",
            "HTTPS:\\\\h\\a\tb",
            "*.pdf",
            "https://*.h/",
        ),
        *("^https://h/[[:digit:]]{2,}$", "https://h/*?a=*#b", "http://a.b:99999/", "mailto:a@b"),
    )
    return [text.encode() for text in (*sorted(found), *odd)]


def mutated(seeds: Sequence[bytes], source: random.Random, *, longest: int = 4_000) -> bytes:
    """A seed with some random damage."""
    data = bytearray(source.choice(seeds))
    for _ in range(source.choice((1, 1, 2, 3, 5, 8, 20))):
        _damage(data, seeds, source)
    return bytes(data[:longest])


def _damage(data: bytearray, seeds: Sequence[bytes], source: random.Random) -> None:
    at = source.randint(0, len(data))
    to = min(len(data), at + source.choice((1, 1, 2, 4, 16, 64)))
    match source.randrange(8):
        case 0:
            data[at:at] = source.choice(TOKENS)
        case 1:
            data[at:to] = source.choice(TOKENS)
        case 2:
            del data[at:to]
        case 3:
            data[at:at] = data[at:to] * source.choice((1, 2, 9))
        case 4:
            data[at:at] = source.choice(seeds)
        case 5:
            data[at:at] = bytes([source.randrange(256)])
        case 6 if at < len(data):
            data[at] ^= 1 << source.randrange(8)
        case _:
            lines = data.split(b"\n")
            source.shuffle(lines)
            data[:] = b"\n".join(lines)
