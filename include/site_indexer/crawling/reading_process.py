"""The process that reads pages for a crawl: ``python -m site_indexer.crawling.reading_process``.

It takes the settings first, then pages until the other end of its standard input is gone. A page
on which it dies costs the crawl that page alone.
"""

from __future__ import annotations

import logging
import pickle
import resource
import socket
import sys

from site_indexer.crawling.answer_reader import AnswerReader
from site_indexer.crawling.extraction import Extractor
from site_indexer.crawling.garbage import collected_seldom
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.reading_messages import Messages, answer, asked
from site_indexer.urls import SiteHosts

_AT_ONCE = 256 * 1024
# A parsed page takes up to a hundred times its bytes; one that would take more ends this process.
_MEMORY_BYTES = 2**30
_MEMORY_PER_BYTE = 100


def reader_of(settings: CrawlSettings) -> AnswerReader:
    """What reads the pages of a site. Raises ConfigurationError for selectors that are none."""
    resolver = LinkResolver(SiteHosts(settings.hosts))
    return AnswerReader(settings.site, Extractor(settings, resolver), resolver, ())


def _limit_memory(max_bytes: int) -> None:
    """Bound the memory of this process, by the size of the largest page."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = _MEMORY_BYTES + _MEMORY_PER_BYTE * max_bytes
    allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, most))


def main() -> None:
    """Read pages until nobody asks any more."""
    # What extraction has to say comes with its answers.
    logging.disable(logging.CRITICAL)
    reader: AnswerReader | None = None
    messages = Messages()
    with collected_seldom(), socket.socket(fileno=sys.stdin.fileno()) as line:
        while data := line.recv(_AT_ONCE):
            for message in messages.feed(data):
                if reader is None:
                    settings = pickle.loads(message)  # noqa: S301 - from our own parent
                    _limit_memory(settings.max_bytes)
                    reader = reader_of(settings)
                else:
                    line.sendall(answer(reader.read(*asked(message))))


if __name__ == "__main__":
    main()
