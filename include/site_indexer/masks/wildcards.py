"""Wildcard masks: ``*`` is any run of characters, and the whole URL must match.

The parts between the stars are normalized as far as they are parts of a URL. Where a part may lie
in the path as well as in the query, in which some characters are written differently, the mask has
one *reading* for each (docs/spec/02-urls-and-masks.md, *Masks*).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator

from site_indexer.errors import UrlError
from site_indexer.masks.expressions import quote
from site_indexer.masks.mask_error import MaskError
from site_indexer.urls import host_of, normalize, normalize_prefix
from site_indexer.urls.normalization import normalized_escapes

Reading = tuple[str, ...]
"""The parts around the stars of a mask, in order: one more than there are stars."""

_ORIGIN = re.compile(r"(?P<scheme>[A-Za-z*]+)://(?P<authority>[^/\\?]*)(?P<tail>[/\\].*)", re.S)
_LITERAL_ORIGIN = re.compile(r"https?:[/\\]+[^/\\?*]+[/\\?]", re.IGNORECASE)
_CUT_ORIGIN = re.compile(r"[A-Za-z]+://[^/\\?*]*\Z")
# A host with stars in it; a part after a star that starts otherwise is taken for one of the path.
_STARRED_HOST = re.compile(r"[^*%]*(?:\*(?:[.:][^*%]*)?)*")
_PLAIN = re.compile(r"[A-Za-z0-9._~/&=+,;:@!$()-]*")
_PARTIAL_ESCAPE = re.compile(r"%[0-9A-Fa-f]?\Z")
_MOST_READINGS = 16
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def readings(text: str) -> tuple[Reading, ...]:
    """Return the normalized readings of a wildcard mask: mostly one, all with one first part.

    Raises MaskError where the mask is empty but for a fragment, or names no possible host.
    """
    whole, _, fragment = text.partition("#")
    if not whole:
        raise MaskError(
            f"The mask {text!r} is empty.", hint="Write what stands before the #.", mask=text
        )
    if "*" in fragment or (fragment and not whole.strip("*")):
        # Dropping it would leave a mask of much more: *#x* would match everything.
        raise MaskError(
            f"The mask {text!r} asks for what follows a #, which no stored URL has.",
            hint="Write what stands before the #, or %23 for the character itself.",
            mask=text,
        )
    try:
        return tuple(
            dict.fromkeys(reading for variant in _with_host(whole) for reading in _spelled(variant))
        )
    except UrlError:
        raise MaskError(
            f"The mask {text!r} cannot be read as a URL with stars in it.",
            hint="Check its host and port.",
            mask=text,
        ) from None


def compile_reading(parts: Reading) -> Callable[[str], bool]:
    """Return a function that says whether a whole URL matches; its time is linear."""
    if len(parts) == 1:
        return parts[0].__eq__
    first, *middle, last = parts
    edges = len(first) + len(last)

    def matches(url: str) -> bool:
        if len(url) < edges or not (url.startswith(first) and url.endswith(last)):
            return False
        at, end = len(first), len(url) - len(last)
        for part in middle:
            at = url.find(part, at, end)
            if at < 0:
                return False
            at += len(part)
        return True

    return matches


def as_re2(parts: Reading) -> str:
    """Return the reading as an RE2 expression that must be searched for, anchors included."""
    return r"\A" + "(?s:.*)".join(map(quote, parts)) + r"\z"


def _with_host(text: str) -> tuple[str, ...]:
    """Return the mask with a host normalized that stars stand in, or before.

    What follows a star may be of the path as well (``https://*.d/x``), so the mask as it is written
    comes too.
    """
    match = _ORIGIN.fullmatch(text)
    if match is None or "*" not in match["scheme"] + match["authority"]:
        return (text,)
    scheme, authority, tail = match["scheme"].lower(), match["authority"], match["tail"]
    before, _, host = authority.rpartition("@")
    if "*" in before or not _STARRED_HOST.fullmatch(host):
        return (f"{scheme}://{authority}{tail}",)
    written = f"{scheme}://{host}{tail}"
    host = host.lower().removesuffix(_DEFAULT_PORTS.get(scheme, "::")).rstrip(".")
    host = ".".join(map(_normalized_label, host.split(".")))
    return (f"{scheme}://{host}{tail}", written)


def _normalized_label(label: str) -> str:
    if label.isascii() or "*" in label:
        return label
    return host_of(normalize(f"https://{label}/"))


def _normalized_first(first: str, *, followed: bool) -> str:
    """Normalize what stands before the first star, a whole URL where there is no star."""
    if not followed:
        return normalize(first)
    if _LITERAL_ORIGIN.match(first):
        return normalize_prefix(first)
    if _CUT_ORIGIN.match(first):
        return first.lower()
    return first


def _spelled(text: str) -> Iterator[Reading]:
    """Yield the mask once for each star that may be the one that enters the query."""
    first, *others = text.split("*")
    first = _normalized_first(first, followed=bool(others))
    unknown = 0 if "?" in first else _parts_before_query(others)
    # Only these two where there are very many stars: readings times parts would be quadratic.
    counts = range(unknown, -1, -1) if unknown <= _MOST_READINGS else (unknown, 0)
    for in_path in counts:
        yield (
            first,
            *(_spelled_part(part, in_query=index >= in_path) for index, part in enumerate(others)),
        )


def _parts_before_query(parts: list[str]) -> int:
    """Count the parts up to and with the one in which a ``?`` stands."""
    for index, part in enumerate(parts):
        if "?" in part:
            return index + 1
    return len(parts)


def _spelled_part(part: str, *, in_query: bool) -> str:
    if _PLAIN.fullmatch(part):
        return part
    path, mark, query = (part, "", "") if in_query else part.partition("?")
    spelled = "".join(_spelled_character(character, in_query=in_query) for character in path)
    spelled += mark + "".join(_spelled_character(character, in_query=True) for character in query)
    partial = _PARTIAL_ESCAPE.search(spelled)
    cut = "" if partial is None else partial[0]
    return normalized_escapes(spelled.removesuffix(cut)) + cut.upper()


@functools.lru_cache(maxsize=1024)
def _spelled_character(character: str, *, in_query: bool) -> str:
    """Return a character as browsers write it in a path or a query; ``%`` stays for later."""
    if character in "%?":
        return character
    before = "https://h/?-" if in_query else "https://h/-"
    return normalize(f"{before}{character}-")[len(before) : -1]
