"""The process that reads pages for a crawl: ``python -m site_indexer.crawling.reading_process``.

It takes the settings first, then pages until the other end of its standard input is gone. A page
on which it dies costs the crawl that page alone.
"""

from __future__ import annotations

import logging
import pickle
import socket
import sys

from site_indexer.crawling.answer_reader import AnswerReader
from site_indexer.crawling.extraction import Extractor
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.reading_messages import Messages, answer, asked
from site_indexer.urls import SiteHosts

_AT_ONCE = 256 * 1024


def reader_of(settings: CrawlSettings) -> AnswerReader:
    """What reads the pages of a site. Raises ConfigurationError for selectors that are none."""
    resolver = LinkResolver(SiteHosts(settings.hosts))
    return AnswerReader(settings.site, Extractor(settings, resolver), resolver, ())


def main() -> None:
    """Read pages until nobody asks any more."""
    # What extraction has to say comes with its answers.
    logging.disable(logging.CRITICAL)
    reader: AnswerReader | None = None
    messages = Messages()
    with socket.socket(fileno=sys.stdin.fileno()) as line:
        while data := line.recv(_AT_ONCE):
            for message in messages.feed(data):
                if reader is None:
                    reader = reader_of(pickle.loads(message))  # noqa: S301 - from our own parent
                else:
                    line.sendall(answer(reader.read(*asked(message))))


if __name__ == "__main__":
    main()
