"""Scrapy as its documentation shows it: a CrawlSpider with a LinkExtractor, and an item pipeline.

With ``--cache`` its HTTP cache is on, with the policy of RFC 2616. Documents whose pages come from
the cache are not sent to OpenSearch again, which is more than the documentation does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from assignment import assignment, document_id, report
from opensearchpy import OpenSearch, helpers
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response, TextResponse
from scrapy.link import Link
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

ASSIGNMENT = assignment()


class PageSpider(CrawlSpider):
    name = "pages"
    start_urls = (ASSIGNMENT.front,)
    rules = (
        Rule(
            LinkExtractor(allow=f"^{ASSIGNMENT.prefix}"),
            callback="parse_page",
            follow=True,
            process_links="followable",
        ),
    )

    def followable(self, links: Iterable[Link]) -> list[Link]:
        return [link for link in links if not link.nofollow]

    def parse_start_url(self, response: Response, **_: object) -> Iterator[dict[str, Any]]:
        return self.parse_page(response)

    def parse_page(self, response: Response) -> Iterator[dict[str, Any]]:
        if not isinstance(response, TextResponse):
            return
        modified = response.headers.get("Last-Modified")
        yield {
            "url": response.url,
            "title": response.css("title::text").get(default="").strip(),
            "description": response.css('meta[name="description"]::attr(content)').get(default=""),
            "text": " ".join(
                " ".join(
                    response.xpath("//body//text()[not(parent::script or parent::style)]").getall()
                ).split()
            ),
            "last_modified": modified.decode() if modified else None,
            "from_cache": "cached" in response.flags,
        }


class OpenSearchPipeline:
    size = 500

    def open_spider(self) -> None:
        self.client = OpenSearch([ASSIGNMENT.opensearch], timeout=60)
        self.waiting: list[dict[str, Any]] = []

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        if not item.pop("from_cache"):
            self.waiting.append(
                {"_index": ASSIGNMENT.index, "_id": document_id(item["url"]), "_source": item}
            )
        if len(self.waiting) >= self.size:
            self.send()
        return item

    def close_spider(self) -> None:
        self.send()
        self.client.indices.refresh(index=ASSIGNMENT.index)

    def send(self) -> None:
        helpers.bulk(self.client, self.waiting)
        self.waiting = []


def settings() -> dict[str, Any]:
    chosen: dict[str, Any] = {
        "ITEM_PIPELINES": {OpenSearchPipeline: 300},
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "LOG_LEVEL": "INFO",
    }
    if ASSIGNMENT.cache is not None:
        chosen |= {
            "HTTPCACHE_ENABLED": True,
            "HTTPCACHE_POLICY": "scrapy.extensions.httpcache.RFC2616Policy",
            "HTTPCACHE_DIR": ASSIGNMENT.cache,
        }
    return chosen


def main() -> None:
    process = CrawlerProcess(settings())
    crawler = process.create_crawler(PageSpider)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats.get_stats() if crawler.stats is not None else {}
    report(
        pages=stats.get("item_scraped_count", 0),
        unchanged=stats.get("httpcache/revalidate", 0),
    )


main()
