"""What would become of one URL, for people who ask why a page is, or is not, in the index.

The result is the JSON of the shell's ``fetch`` (docs/spec/08-shell.md).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from site_indexer.crawling import directives
from site_indexer.crawling.answer_reader import MOST_REDIRECTING_REFRESH_S, server_date_of
from site_indexer.crawling.documents import SERVER_SOURCE, to_seconds
from site_indexer.crawling.extracted import ExtractedPage, UnreadableError
from site_indexer.crawling.extraction import Extractor, media_type
from site_indexer.crawling.judging import Rules, Verdict, admission
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.page_account import Account
from site_indexer.crawling.responses import Failure, Request, Response
from site_indexer.crawling.robots import RobotsAccess, RobotsCache, RobotsVerdict
from site_indexer.crawling.single_fetch import Fetch, verdict_on
from site_indexer.crawling.sitemaps import looks_like_sitemap, parse_sitemap, unpacked
from site_indexer.errors import TransientError
from site_indexer.masks.model import DocumentDates
from site_indexer.masks.model import Outcome as RuleOutcome
from site_indexer.urls import SiteHosts

_PAGES = (200, 203)


class UnansweredError(TransientError):
    """A URL whose server gave no answer at all."""

    code = "unreachable"
    exit_status = 3


@dataclass(frozen=True, slots=True)
class _Arrived:
    """The end of a chain of redirects; ``problem`` says why it is no end."""

    response: Response
    redirects: tuple[Mapping[str, Any], ...]
    robots: RobotsVerdict
    problem: str | None = None


class Inspector:
    """Looks at single URLs as a crawl of a site would.

    ``fetch`` makes the requests for pages, ``fetch_robots`` those for robots.txt; ``rules`` are
    the site's own where there is a site, which then is not left either.
    """

    def __init__(
        self,
        settings: CrawlSettings,
        *,
        fetch: Fetch,
        fetch_robots: Fetch,
        rules: Rules | None = None,
        stay_on_site: bool = False,
        is_saved: bool = False,
    ) -> None:
        """``is_saved``: nothing is asked for, so robots.txt keeps nothing from being looked at.

        Raises ConfigurationError for selectors in the settings that are none.
        """
        self._settings = settings
        self._fetch = fetch
        self._fetch_robots = fetch_robots
        self._rules = rules
        self._hosts = SiteHosts(settings.hosts) if stay_on_site else None
        self._resolver = LinkResolver(SiteHosts(settings.hosts))
        self._extractor = Extractor(settings, self._resolver)
        self._robots = RobotsCache()
        self._is_saved = is_saved

    def inspect(self, url: str) -> dict[str, Any]:
        """What a normalized URL gives. Raises UnansweredError if its server does not answer."""
        arrived = self._arrive(url)
        response = arrived.response
        if response.status is None and arrived.problem is None:
            raise UnansweredError(
                response.error or f"{response.request.url}: no answer.",
                hint="See whether the server runs and can be reached from here.",
                url=url,
            )
        body = unpacked(response.body)
        if response.status in _PAGES and response.failure is None and looks_like_sitemap(body):
            return {**self._common(url, arrived), **self._sitemap(response)}
        return {**self._common(url, arrived), **self._page(arrived)}

    def _arrive(self, url: str) -> _Arrived:
        redirects: list[Mapping[str, Any]] = []
        seen = {url}
        while True:
            robots = self._verdict(url)
            if self._forbids(robots) and not self._is_saved:
                return _not_asked(url, tuple(redirects), robots)
            response = self._fetch(Request(url))
            target = response.location if response.failure is None else None
            arrived = _Arrived(response, tuple(redirects), robots)
            if target is None:
                return arrived
            problem = self._problem_of_redirect(target, seen)
            if problem is not None:
                return _Arrived(response, tuple(redirects), robots, problem)
            redirects.append({"url": url, "status": response.status})
            seen.add(target)
            url = target

    def _forbids(self, robots: RobotsVerdict) -> bool:
        return self._settings.obey_robots and robots.access is RobotsAccess.REFUSED

    def _problem_of_redirect(self, target: str, seen: set[str]) -> str | None:
        if self._is_saved:
            return f"It redirects to {target}."
        if target in seen:
            return f"It redirects in a loop, back to {target}."
        if len(seen) > self._settings.max_redirects:
            return f"It redirects more than {self._settings.max_redirects} times."
        if self._hosts is not None and not self._hosts.contains(target):
            return f"It redirects to {target}, which is on no host of the site."
        return None

    def _verdict(self, url: str) -> RobotsVerdict:
        return verdict_on(url, self._robots, self._fetch_robots)

    def _common(self, url: str, arrived: _Arrived) -> dict[str, Any]:
        response = arrived.response
        return {
            "url": url,
            "final_url": response.request.url,
            "redirects": list(arrived.redirects),
            "status": response.status,
            "content_type": media_type(response.header("content-type")) or None,
            "bytes": len(response.body),
            "etag": response.header("etag"),
        }

    def _sitemap(self, response: Response) -> dict[str, Any]:
        url = response.request.url
        sitemap = parse_sitemap(response.body, url)
        return {
            "kind": "sitemap",
            "urls": [
                {"url": location, "lastmod": _iso(entry.last_modified)}
                for entry in sitemap.urls
                if (location := self._resolver.resolve(entry.location, url)) is not None
            ],
            "sitemaps": [
                location
                for text in sitemap.sitemaps
                if (location := self._resolver.resolve(text, url)) is not None
            ],
            "warnings": list(sitemap.warnings),
        }

    def _page(self, arrived: _Arrived) -> dict[str, Any]:
        response = arrived.response
        page, problem = self._read(response)
        robots = arrived.robots
        said = page.directives if page is not None else directives.NO_DIRECTIVES
        server_date = server_date_of(response)
        reason = arrived.problem or problem or self._reason(response, page, robots, server_date)
        shown = page if page is not None else ExtractedPage()
        date = shown.date or server_date
        return {
            "kind": "page",
            "charset": shown.charset or None,
            "charset_source": shown.charset_source or None,
            "robots": {
                "allowed": robots.allowed or not self._settings.obey_robots,
                "rule": robots.rule,
                "noindex": said.noindex,
                "nofollow": said.nofollow,
                "source": said.source,
            },
            "title": shown.title,
            "description": shown.description,
            "headings": list(shown.headings),
            "text": shown.text,
            "words": None if page is None else _words(self._extractor.account(response, page)),
            "language": shown.language or None,
            "canonical": shown.canonical,
            "links": list(shown.links),
            "anchors": [] if page is None else _anchors(self._extractor.anchor_texts(response)),
            "fields": dict(shown.fields),
            "date": _iso(date),
            "date_source": shown.date_source if shown.date else (date and SERVER_SOURCE),
            "server_date": _iso(server_date),
            "content_digest": page.content_digest if page is not None else None,
            "index": reason is None,
            "reason": reason or _reason_to_index(response.request.url, shown),
            "warnings": [*response.warnings, *shown.warnings],
        }

    def _read(self, response: Response) -> tuple[ExtractedPage | None, str | None]:
        """The page, or why there is none."""
        if response.failure is not None:
            return None, response.error or response.failure.value
        if response.status not in _PAGES:
            return None, f"It answers {response.status}."
        try:
            page = self._extractor.extract(response)
        except UnreadableError as error:
            return None, f"{Failure.UNREADABLE.value}: {error.message}"
        if page is None:
            return None, f"{response.header('content-type')} is a type that is not indexed."
        return page, None

    def _reason(
        self,
        response: Response,
        page: ExtractedPage | None,
        robots: RobotsVerdict,
        server_date: dt.datetime | None,
    ) -> str | None:
        """Why a page that was read is not indexed; None if it is."""
        if self._forbids(robots):
            return _forbidden(robots)
        if self._settings.obey_robots and not robots.allowed:
            return f"Not now: {robots.rule}."
        if page is None:
            return "It has no page."
        url = response.request.url
        if page.directives.noindex:
            return f"The page says noindex ({page.directives.source})."
        refresh = page.refresh
        if refresh is not None and refresh.seconds <= MOST_REDIRECTING_REFRESH_S:
            return f"It refreshes to {refresh.url} after {refresh.seconds:g} s: a redirect."
        return self._reason_of_rules(url, DocumentDates(own=page.date, server=server_date))

    def _reason_of_rules(self, url: str, dates: DocumentDates) -> str | None:
        if self._hosts is not None and not self._hosts.contains(url):
            return "It is on no host of the site."
        if self._rules is None:
            return None
        if admission(self._rules, url) is Verdict.NO_MATCH:
            return "No rule of the site lets it in."
        judgement = self._rules.judge(url, dates)
        if judgement.outcome is not RuleOutcome.INCLUDE:
            rule = judgement.rule.text if judgement.rule is not None else "no rule matches"
            return f"The site's rules leave it out ({rule})."
        return "A rule of the site says noindex." if judgement.noindex else None


def _not_asked(
    url: str, redirects: tuple[Mapping[str, Any], ...], robots: RobotsVerdict
) -> _Arrived:
    """What robots.txt forbids is not asked for, by a person neither."""
    response = Response(
        request=Request(url),
        status=None,
        headers=(),
        body=b"",
        received_at=dt.datetime.now(dt.UTC),
        elapsed_ms=0,
    )
    return _Arrived(response, redirects, robots, _forbidden(robots))


def _forbidden(robots: RobotsVerdict) -> str:
    return f"robots.txt forbids it ({robots.rule})."


def _reason_to_index(url: str, page: ExtractedPage) -> str:
    if page.canonical is not None and page.canonical != url:
        return (
            f"It names {page.canonical} as its original: it is stored there if that is on the"
            " site, answers 200 and names no third page, else under its own URL."
        )
    return "Nothing keeps it from being indexed."


def _words(account: Account | None) -> dict[str, Any] | None:
    if account is None:
        return None
    return {
        "all": account.all,
        "kept": account.kept,
        "main_part": account.main_part,
        "left_out": dict(account.left_out),
    }


def _anchors(texts: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"url": url, "text": text} for url, text in texts.items()]


def _iso(moment: dt.datetime | None) -> str | None:
    return None if moment is None else to_seconds(moment)
