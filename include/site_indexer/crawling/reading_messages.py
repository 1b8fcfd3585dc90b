"""What a crawl and the process that reads its pages say to each other: pickles behind a length.

Both ends are this program, started by itself; nothing else can write to their socket. Values go as
plain tuples, since pickling frozen dataclasses costs several times as much.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator
from dataclasses import fields
from operator import attrgetter
from typing import Any

from site_indexer.crawling.model import StoredPage
from site_indexer.crawling.page_facts import NO_DATES, PageFacts
from site_indexer.crawling.responses import Request, Response
from site_indexer.masks.model import DocumentDates

_LENGTH = struct.Struct("!I")
_RESPONSE = tuple(field.name for field in fields(Response) if field.name != "request")
_STORED = tuple(field.name for field in fields(StoredPage))
_FACTS = tuple(field.name for field in fields(PageFacts) if field.name != "dates")
_values_of_response = attrgetter("request.url", *_RESPONSE)
_values_of_stored = attrgetter(*_STORED)
_values_of_facts = attrgetter("dates.own", "dates.server", *_FACTS)

Read = tuple[PageFacts, dict[str, Any] | None]


def question(response: Response, stored: StoredPage | None) -> bytes:
    """The message that asks to read a page."""
    return _framed(
        (_values_of_response(response), None if stored is None else _values_of_stored(stored))
    )


def asked(message: bytes) -> tuple[Response, StoredPage | None]:
    """What a question asks for; of the request only its URL."""
    (url, *values), stored = pickle.loads(message)  # noqa: S301 - see the module's text
    response = Response(request=Request(url), **dict(zip(_RESPONSE, values, strict=True)))
    return response, None if stored is None else StoredPage(*stored)


def answer(read: Read) -> bytes:
    """The message that says what was read."""
    facts, document = read
    return _framed((_values_of_facts(facts), document))


def answered(message: bytes) -> Read:
    """What an answer says."""
    (own, server, *values), document = pickle.loads(message)  # noqa: S301 - see the module's text
    facts = dict(zip(_FACTS, values, strict=True))
    dates = NO_DATES if own is None and server is None else DocumentDates(own=own, server=server)
    return PageFacts(dates=dates, **facts), document


class Messages:
    """Cuts a stream of bytes into messages."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The messages that are complete with these further bytes."""
        waiting = self._waiting
        waiting += data
        start = 0
        while len(waiting) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(waiting, start)
            end = start + _LENGTH.size + length
            if len(waiting) < end:
                break
            yield bytes(waiting[start + _LENGTH.size : end])
            start = end
        del waiting[:start]


def _framed(values: object) -> bytes:
    message = pickle.dumps(values, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(message)) + message
