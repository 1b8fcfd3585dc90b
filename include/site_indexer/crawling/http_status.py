"""What a status line says about an exchange (docs/spec/04-crawling.md, 4.1 Fetching; RFC 9110)."""

from __future__ import annotations

import datetime as dt
from typing import Final

from site_indexer.crawling.http_dates import parse_http_date
from site_indexer.crawling.responses import Failure

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
PAGES: Final = frozenset({200, 203})
_GONE: Final = frozenset({404, 410})
# 408: the server closed an idle connection; 425: it did not want this one early.
_TRANSIENT_CLIENT_ERRORS: Final = frozenset({408, 425, 429})
# Not implemented, version not supported, network login wanted: the same answer next time.
_LASTING_SERVER_ERRORS: Final = frozenset({501, 505, 511})


def failure_of_status(
    status: int, *, conditional: bool = False, located: bool = False
) -> tuple[Failure, str] | None:
    """Why an answer with ``status`` cannot be judged, with a sentence; None where it can.

    Judged are pages (200, 203), 404, 410, 304 to a ``conditional`` request, and redirects that
    name a target (``located``). A 2xx without a whole page (202, 204, 206 ...) is a failure: it
    says nothing of the page, so the indexed document stays.
    """
    if status in PAGES or status in _GONE:
        return None
    if status == 304:
        problem = None if conditional else "though no validator was sent"
    elif status in REDIRECTS:
        problem = None if located else "without a target that is an http or https URL"
    else:
        return _failure_class(status)
    return None if problem is None else (Failure.PROTOCOL, f"answered {status} {problem}")


def is_transient_status(status: int) -> bool:
    """Whether the same request can well be answered otherwise within seconds."""
    if status >= 500:
        return status < 600 and status not in _LASTING_SERVER_ERRORS
    return status in _TRANSIENT_CLIENT_ERRORS


def retry_after_s(value: str | None, now: dt.datetime) -> float | None:
    """The seconds a Retry-After header asks to wait (RFC 9110 10.2.3), or None if it says nothing.

    ``value`` is a number of seconds or a date; a date that has passed is 0.
    """
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    when = parse_http_date(text)
    return None if when is None else max(0.0, (when - now).total_seconds())


def _failure_class(status: int) -> tuple[Failure, str]:
    if status == 429:
        return Failure.RATE_LIMITED, "answered 429: it asks for fewer requests"
    if status in (401, 403):
        return Failure.FORBIDDEN, f"answered {status}: access is not allowed"
    if 500 <= status < 600:
        return Failure.SERVER_ERROR, f"answered {status}: the server failed"
    if 400 <= status < 500:
        return Failure.CLIENT_ERROR, f"answered {status}: it does not accept the request"
    return Failure.PROTOCOL, f"answered {status}, which carries no whole page"
