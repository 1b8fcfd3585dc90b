"""The one normalized form of URLs (docs/spec/02-urls-and-masks.md, 2.1).

Parsing is the WHATWG URL Standard's, by the library ada; what this product adds (no credentials,
no fragment, no empty query, no dot at the host's end, one spelling of percent sequences) is here.
Links of pages come through here by the hundred, so a URL that one expression proves to be
normalized already is returned as it is; the tests hold both ways against each other.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable

import ada_url

from site_indexer.errors import UrlError

_LONGEST_SHOWN = 200
_HTTP_HINT = "Write the whole address, as https://www.example.com/page.html."

# Percent sequences that stay as they are: those of no unreserved character, in upper case.
_KEPT_ESCAPE = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|[46]0|5[B-E]|7[B-DF])"
# A host that no rule changes: an IPv4 address as it is written, or a name with no number as its
# last label (it would be such an address); and a port of no scheme's default. Dot segments are
# looked for apart.
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PLAIN_HOST = rf"(?:(?:[a-z0-9_-]++\.)*+[a-z][a-z0-9-]*+|(?:{_BYTE}\.){{3}}{_BYTE})"
_PLAIN_PORT = "(?::(?!(?:80|443)/)(?:[1-9][0-9]{1,3}|[1-5][0-9]{4}))?"
_PLAIN_URL = re.compile(
    rf"https?://{_PLAIN_HOST}{_PLAIN_PORT}"
    rf"/(?:[A-Za-z0-9._~!$&'()*+,;=:@/|\[\]-]++|{_KEPT_ESCAPE})*+"
    rf"(?:\?(?:[A-Za-z0-9._~!$&()*+,;=:@/|\[\]?^`{{}}\\-]++|{_KEPT_ESCAPE})++)?"
).fullmatch

_ESCAPE = re.compile(r"%(?:[0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def _escape_spellings() -> dict[str, str]:
    """Every spelling of a percent sequence, and the one that rule 4 wants in its place."""
    spellings = {"%": "%25"}
    for high, low in itertools.product("0123456789abcdefABCDEF", repeat=2):
        code = int(high + low, 16)
        kept = chr(code) if code in _UNRESERVED else f"%{code:02X}"
        spellings[f"%{high}{low}"] = kept
    return spellings


_ESCAPE_SPELLINGS = _escape_spellings()


def normalize(url: str, base: str | None = None) -> str:
    """Return the normalized form of a URL, which is its own normalized form.

    ``url`` may be relative where ``base``, an absolute http(s) URL, is given. Raises
    :class:`~site_indexer.errors.UrlError` for what is no http(s) URL, and nothing else.
    Rules: docs/spec/02-urls-and-masks.md, 2.1 (WHATWG URL Standard, RFC 3986 6.2.2).
    """
    if _is_normalized(url):
        return url
    if base is not None and _is_normalized(base):
        joined = _joined(url, base)
        if _is_normalized(joined):
            return joined
    return _normalized_by_parsing(url, base)


def normalizer_on(base: str) -> Callable[[str], str]:
    """Return :func:`normalize` for many URLs on one base, which is looked at once."""
    if not _is_normalized(base):
        return lambda url: normalize(url, base)

    def normalize_on_base(url: str) -> str:
        joined = _joined(url, base)
        if _is_normalized(joined):
            return joined
        return url if _is_normalized(url) else _normalized_by_parsing(url, base)

    return normalize_on_base


def _normalized_by_parsing(url: str, base: str | None) -> str:
    href = parse(url, base)
    if _is_normalized(href):
        return href
    origin, tail = origin_and_tail(href, url)
    if tail.find("?") == len(tail) - 1:
        tail = tail[:-1]
    return origin + normalized_escapes(tail)


def document_id(normalized: str) -> str:
    """Return the id of the document of a normalized URL: 32 lower-case hex digits.

    They are the first 128 bits of the SHA-256 of the URL in UTF-8
    (docs/spec/02-urls-and-masks.md, 2.2).
    """
    return hashlib.sha256(normalized.encode()).hexdigest()[:32]


def host_of(normalized: str) -> str:
    """Return the authority of a normalized URL: ``host`` or ``host:port``, IPv6 in brackets."""
    return normalized.split("/", 3)[2]


def normalized_escapes(text: str) -> str:
    """Decode the percent sequences of unreserved characters, write all others in upper case.

    A ``%`` that starts no sequence becomes ``%25``. Rule: docs/spec/02-urls-and-masks.md, 2.1.
    """
    return _ESCAPE.sub(_normalized_escape, text) if "%" in text else text


def parse(url: str, base: str | None = None) -> str:
    """Parse and write as browsers do; raises UrlError where that gives no http(s) URL."""
    try:
        href = ada_url.normalize_url(url) if base is None else ada_url.join_url(base, url)
    except ValueError:
        href = _parsed_scalar_values(url, base)
    if not href.startswith(("https://", "http://")):
        raise UrlError(
            f"{shown(url)} is no http or https URL.",
            hint="Only http and https addresses can be crawled.",
            url=url,
        )
    return href


def origin_and_tail(href: str, url: str) -> tuple[str, str]:
    """Split a parsed URL into its normalized origin, and its path and query as they are.

    The origin (scheme, host, port) has no slash at its end; credentials and fragment are dropped.
    ``url`` is the text as written, for the error of a host that is nothing but dots.
    """
    scheme, _, rest = href.partition("#")[0].partition("//")
    authority, _, tail = rest.partition("/")
    host = authority.rpartition("@")[2]
    name, colon, port = host.partition(":")
    if name.endswith("."):
        host = _host_without_dots(scheme, name, url) + colon + port
    return f"{scheme}//{host}", f"/{tail}"


def shown(url: str) -> str:
    """Return a URL as messages show it: quoted, and cut where it is long (pages hold megabytes)."""
    return repr(url) if len(url) <= _LONGEST_SHOWN else f"{url[:_LONGEST_SHOWN]!r}..."


def _host_without_dots(scheme: str, name: str, url: str) -> str:
    bare = name.rstrip(".")
    if not bare:
        raise UrlError(f"{shown(url)} has no host.", hint=_HTTP_HINT, url=url)
    try:
        # What is left may be an address by number, which has a spelling of its own.
        return host_of(parse(f"{scheme}//{bare}/"))
    except UrlError:
        raise _unreadable(url, None) from None


def _is_normalized(url: str) -> bool:
    return "/." not in url and _PLAIN_URL(url) is not None


def _joined(reference: str, base: str) -> str:
    """What a path relative to ``base`` (normalized) names, if it is a plain one; "" for all else.

    Only if that is in its normalized form is it sure to be what parsing would give. A colon may
    end a scheme.
    """
    if not reference or ":" in reference or reference[0] == "?" or reference[:2] == "//":
        return ""
    path_starts = base.find("/", 8)
    if reference[0] == "/":
        return base[:path_starts] + reference
    path_ends = base.find("?", path_starts)
    folder_ends = base.rfind("/", 0, path_ends if path_ends >= 0 else len(base))
    while reference.startswith("../"):
        reference = reference[3:]
        if folder_ends > path_starts:
            folder_ends = base.rfind("/", 0, folder_ends)
    return base[: folder_ends + 1] + reference


def _normalized_escape(match: re.Match[str]) -> str:
    return _ESCAPE_SPELLINGS[match[0]]


def _parsed_scalar_values(url: str, base: str | None) -> str:
    """Parse once more with lone surrogates read as U+FFFD, as browsers do (Web IDL, USVString)."""
    try:
        return str(ada_url.URL(_scalar_values(url), base and _scalar_values(base)).href)
    except ValueError:
        raise _unreadable(url, base) from None


def _scalar_values(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _unreadable(url: str, base: str | None) -> UrlError:
    where = "" if base is None else f" (on {shown(base)})"
    return UrlError(f"{shown(url)}{where} cannot be read as a URL.", hint=_HTTP_HINT, url=url)
