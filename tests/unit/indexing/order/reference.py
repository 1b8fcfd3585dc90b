"""Runs the new blocks of a script one by one, in the plainest possible code.

This is what docs/spec/03-planning.md, 3.6, promises of a run, and nothing of how a run does it: a
block at a time, an action type at a time, a URL at a time. Of the product only the parser, the
masks and the rule lists are used, which have tests of their own.

Two differences are intended (3.7), and modelled by :func:`is_deleted_later`: what a command names
or lists and a later block of the same run deletes is not fetched for it. So links that only such
a page has are not followed, and where such a URL redirects the target is not indexed for it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from site_indexer.index_script.model import Action, Block, Command
from site_indexer.masks import DocumentDates, Outcome, RuleList, compile_mask
from site_indexer.planning.rules import rules_of_script_block
from site_indexer.planning.site_view import SiteView
from site_indexer.urls import MaskKind
from tests.unit.indexing.order.small_site import NOTHING, Kind, Page, Website

Index = dict[str, int]
"""The version of each document, by URL."""

Flags = tuple[bool, bool]
"""Whether links are not to be followed, and whether nothing is to be written."""

NO_FLAGS: Flags = (False, False)


def new_blocks(blocks: Sequence[Block], watermark: dt.datetime | None) -> list[Block]:
    """The blocks that are later than the watermark, which then is their date."""
    new = []
    for block in blocks:
        assert block.date is not None
        if watermark is None or block.date > watermark:
            new.append(block)
            watermark = block.date
    return new


def run_singly(
    blocks: Sequence[Block],
    website: Website,
    index: Index,
    *,
    site: SiteView,
    now: dt.datetime,
    intended_differences: bool = True,
) -> None:
    """Run each block by itself, oldest first, on ``index``."""
    for number, block in enumerate(blocks):
        later = blocks[number + 1 :] if intended_differences else ()
        run_block(block, website, index, rules_of_script_block(block, site, now=now), later)


def run_block(
    block: Block, website: Website, index: Index, rules: RuleList, later: Sequence[Block]
) -> None:
    """All ``delete``, then all ``deletemask``, then ``add``, then ``update``."""
    for command in of(block, Action.DELETE):
        for url in command.urls:
            index.pop(url, None)
    for command in of(block, Action.DELETEMASK):
        for url in matching(command, index):
            del index[url]
    added = [(command.urls[0], command) for command in of(block, Action.ADD)]
    crawl(added, website, index, rules, later)
    listed = [
        (url, command) for command in of(block, Action.UPDATE) for url in matching(command, index)
    ]
    crawl(listed, website, index, rules, later)


def crawl(
    named: Iterable[tuple[str, Command]],
    website: Website,
    index: Index,
    rules: RuleList,
    later: Sequence[Block],
) -> None:
    """Fetch what commands name and what links lead to from there, and write it."""
    visit = Visit(website, rules)
    for url, command in named:
        if not is_deleted_later(url, later):
            visit.name(url, (command.nofollow, command.noindex))
    visit.walk()
    visit.write(index)


@dataclass
class Visit:
    """One walk over the site, by the rules of one block.

    The flags of commands hold for the URLs that they name, and add up. Where a URL redirects they
    hold for the target, unless that is named itself, or reached in another way without them.
    """

    website: Website
    rules: RuleList
    named: dict[str, Flags] = field(default_factory=dict)
    reached: dict[str, Flags] = field(default_factory=dict)

    def name(self, url: str, flags: Flags) -> None:
        before = self.named.get(url, NO_FLAGS)
        self.named[url] = (before[0] or flags[0], before[1] or flags[1])

    def flags(self, url: str) -> Flags:
        return self.named.get(url) or self.reached[url]

    def walk(self) -> None:
        """Go on until nothing new is reached."""
        before = None
        while before != self.reached:
            before = dict(self.reached)
            for url in {*self.named, *before}:
                for target, flags in self.leads_to(url):
                    known = self.reached.get(target, flags)
                    self.reached[target] = (known[0] and flags[0], known[1] and flags[1])

    def leads_to(self, url: str) -> list[tuple[str, Flags]]:
        page = self.page(url)
        if not self.may_be_fetched(url):
            return []
        if page.target is not None:
            return [(page.target, self.flags(url))]
        if not self.lets_in(url):
            return []
        nofollow = page.nofollow or self.rule_flags(url)[0] or self.flags(url)[0]
        return [] if nofollow else [(link, NO_FLAGS) for link in page.links]

    def write(self, index: Index) -> None:
        reached = [url for url in {*self.named, *self.reached} if self.may_be_fetched(url)]
        for url in reached:
            page = self.page(url)
            if page.kind is Kind.GONE:
                index.pop(url, None)
            elif page.kind is Kind.PAGE and self.lets_in(url):
                if page.noindex:
                    index.pop(url, None)
                elif not self.flags(url)[1] and not self.rule_flags(url)[1]:
                    index[url] = page.version
        for url in reached:
            end = self.end_of(url)
            if self.page(url).kind is Kind.MOVED and end in index:
                index.pop(url, None)

    def end_of(self, url: str) -> str | None:
        """The page at the end of redirects, None where there is none that is let in."""
        seen = set()
        while (target := self.page(url).target) is not None:
            if url in seen or not self.may_be_fetched(url):
                return None
            seen.add(url)
            url = target
        return url if self.lets_in(url) else None

    def page(self, url: str) -> Page:
        return self.website.get(url, NOTHING)

    def may_be_fetched(self, url: str) -> bool:
        """What only a date decides is fetched; what is no page has none."""
        return self.rules.judge(url).outcome in (Outcome.INCLUDE, Outcome.DEPENDS)

    def lets_in(self, url: str) -> bool:
        """Whether there is a page that the rules let in."""
        return (
            self.page(url).kind is Kind.PAGE
            and self.rules.judge(url, self.dates(url)).outcome is Outcome.INCLUDE
        )

    def rule_flags(self, url: str) -> Flags:
        judgement = self.rules.judge(url, self.dates(url))
        return (judgement.nofollow, judgement.noindex)

    def dates(self, url: str) -> DocumentDates:
        page = self.page(url)
        return DocumentDates(own=page.own_date, server=page.server_date)


def is_deleted_later(url: str, later: Iterable[Block]) -> bool:
    """Whether a later block deletes a URL."""
    return any(deletes(block, url) for block in later)


def deletes(block: Block, url: str) -> bool:
    """Whether a block deletes a URL, by itself or by a mask."""
    return any(url in command.urls for command in of(block, Action.DELETE)) or any(
        matching(command, [url]) for command in of(block, Action.DELETEMASK)
    )


def of(block: Block, action: Action) -> list[Command]:
    """The commands of an action type."""
    return [command for command in block.commands if command.action is action]


def matching(command: Command, urls: Iterable[str]) -> list[str]:
    """The URLs that the command's mask matches."""
    mask = compile_mask(command.mask or "", command.mask_kind or MaskKind.PREFIX)
    return [url for url in list(urls) if mask.matches(url)]
