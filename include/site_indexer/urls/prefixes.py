"""Prefix masks in the form in which they can be compared with normalized URLs.

A prefix is the start of a URL and may end anywhere: in a path segment, behind a ``?``, in the
middle of a percent sequence. So it is normalized only as far as no continuation of it could tell
it to mean something else (docs/spec/02-urls-and-masks.md, 2.4).
"""

from __future__ import annotations

import re

from site_indexer.errors import UrlError
from site_indexer.urls.normalization import normalized_escapes, origin_and_tail, parse, shown

_SCHEME = re.compile(r"https?:", re.IGNORECASE)
_SCHEME_AND_HOST = re.compile(r"https?:[/\\]*[^/\\?]*", re.IGNORECASE)
_PARTIAL_ESCAPE = re.compile(r"%[0-9A-Fa-f]?\Z")
# Stands for the unknown rest of the URL while the prefix is parsed. It is no hex digit and no dot,
# so it completes neither a percent sequence nor a dot segment, and keeps a query from being empty.
_REST = "z"
_CUT = "".join(map(chr, range(0x21)))  # the white space that the URL Standard cuts
_DROPPED = str.maketrans("", "", "\t\r\n")


def normalize_prefix(text: str) -> str:
    """Return a prefix mask in the form that a normalized URL can start with.

    Scheme, host, port and percent sequences are normalized, complete dot segments resolved, the
    fragment dropped. Scheme and host alone get the path ``/``. A ``?`` at the end, a last path
    segment of dots and a cut percent sequence stay, since they are the start of longer ones: a
    mask never means more than it says. The result is its own normalized form.

    Raises :class:`~site_indexer.errors.UrlError` where the text does not start with an http(s)
    scheme and a host.
    """
    prefix = text.translate(_DROPPED).strip(_CUT).partition("#")[0]
    if _SCHEME.match(prefix) is None:
        raise UrlError(
            f"{shown(text)} does not start with http:// or https://, so no URL starts with it.",
            hint="Write the scheme, or put a * before what may stand anywhere in the URL.",
            mask=text,
        )
    if _SCHEME_AND_HOST.fullmatch(prefix):
        return origin_and_tail(parse(prefix), text)[0] + "/"
    origin, tail = origin_and_tail(parse(prefix + _REST), text)
    tail = tail.removesuffix(_REST)
    partial = _PARTIAL_ESCAPE.search(tail)
    cut = "" if partial is None else partial[0]
    return origin + normalized_escapes(tail.removesuffix(cut)) + cut.upper()
