"""Looking at single URLs over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from site_indexer.crawling.inspect import Inspector, UnansweredError
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.single_fetch import network_fetch
from tests.integration.crawling.small_site import SmallSite, small_site


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with small_site() as running:
        yield running


def settings(site: SmallSite) -> CrawlSettings:
    return CrawlSettings(
        site="s", user_agent="SiteIndexer/test", hosts=(site.authority,), delay_s=0, retries=0
    )


def inspect(site: SmallSite, url: str) -> dict[str, object]:
    chosen = settings(site)
    with network_fetch(chosen, local_hosts=("127.0.0.1",)) as fetch:
        return Inspector(chosen, fetch=fetch, fetch_robots=fetch).inspect(url)


def test_a_page_behind_a_redirect(site: SmallSite) -> None:
    url = site.redirect("/old", "/new", 302)
    site.page("/new", "text")
    found = inspect(site, url)
    assert found["redirects"] == [{"url": url, "status": 302}]
    assert (found["title"], found["index"]) == ("/new", True)


def test_robots_txt_is_asked_first(site: SmallSite) -> None:
    site.file("/robots.txt", b"User-agent: SiteIndexer\nDisallow: /no", "text/plain")
    assert inspect(site, site.page("/no"))["index"] is False
    assert site.asked == ["GET /robots.txt 200"]


def test_a_retry_after_is_not_waited_for(site: SmallSite) -> None:
    url = site.page("/", status=503, headers=[("Retry-After", "100")])
    assert inspect(site, url)["status"] == 503


def test_nobody_answers(site: SmallSite) -> None:
    with pytest.raises(UnansweredError):
        inspect(site, "http://127.0.0.1:1/")
