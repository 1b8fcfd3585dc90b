"""Scrapy tuned by hand: lxml, a set of the URLs seen, raw lines to OpenSearch from a thread.

What Scrapy does by itself and this crawl does not need is off: its filter of doubles, cookies,
referers, depth, compression, telnet, statistics of each item, and logging.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import scrapy
from assignment import assignment, report
from bulk_lines import BulkLines
from page_fields import read_page
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response

ASSIGNMENT = assignment()
OFF = "scrapy.downloadermiddlewares."
OFF_SPIDER = "scrapy.spidermiddlewares."
SETTINGS: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "LOG_LEVEL": "WARNING",
    "LOGSTATS_INTERVAL": 0,
    "COOKIES_ENABLED": False,
    "COMPRESSION_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REFERER_ENABLED": False,
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "AJAXCRAWL_ENABLED": False,
    "DOWNLOADER_MIDDLEWARES": {
        f"{OFF}httpauth.HttpAuthMiddleware": None,
        f"{OFF}httpproxy.HttpProxyMiddleware": None,
        f"{OFF}stats.DownloaderStats": None,
        f"{OFF}redirect.MetaRefreshMiddleware": None,
    },
    "SPIDER_MIDDLEWARES": {
        f"{OFF_SPIDER}depth.DepthMiddleware": None,
        f"{OFF_SPIDER}referer.RefererMiddleware": None,
        f"{OFF_SPIDER}urllength.UrlLengthMiddleware": None,
    },
    "EXTENSIONS": {
        "scrapy.extensions.memusage.MemoryUsage": None,
        "scrapy.extensions.corestats.CoreStats": None,
        "scrapy.extensions.logstats.LogStats": None,
    },
}


class HandMadeSpider(scrapy.Spider):
    name = "by-hand"

    def __init__(self) -> None:
        super().__init__()
        self.seen = {ASSIGNMENT.front}
        self.sink = BulkLines(ASSIGNMENT)
        self.pages = 0

    async def start(self) -> AsyncIterator[scrapy.Request]:
        yield scrapy.Request(ASSIGNMENT.front, dont_filter=True)

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        kind = response.headers.get("Content-Type") or b""
        if not kind.startswith(b"text/html"):
            return
        modified = response.headers.get("Last-Modified")
        document, links = read_page(
            response.body, response.url, ASSIGNMENT.prefix, modified.decode() if modified else None
        )
        self.sink.put(document)
        self.pages += 1
        for link in links:
            if link not in self.seen:
                self.seen.add(link)
                yield scrapy.Request(link, dont_filter=True)

    def closed(self, _reason: str) -> None:
        self.sink.close()


def main() -> None:
    process = CrawlerProcess(SETTINGS)
    crawler = process.create_crawler(HandMadeSpider)
    process.crawl(crawler)
    process.start()
    report(pages=getattr(crawler.spider, "pages", 0))


main()
