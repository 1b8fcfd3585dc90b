"""What a site's script says of one URL today: the line that names it, the rule that decides."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from site_indexer.crawling.script_source import fetch_script
from site_indexer.errors import SiteIndexerError, UrlError
from site_indexer.index_script.model import Action, Block, Command, IndexScript
from site_indexer.index_script.spelling import line_of
from site_indexer.indexing.crawl_settings import user_agent
from site_indexer.indexing.site_view import view_of
from site_indexer.masks import Judgement, compile_mask
from site_indexer.masks.model import Outcome
from site_indexer.planning.reading import read_script
from site_indexer.planning.rules import rules_of_script_block
from site_indexer.planning.selection import ensure_free_of_errors
from site_indexer.sites.definition import SiteDefinition
from site_indexer.urls import normalize

_MOST_SECONDS = 10.0
_OLDEST = dt.datetime.min.replace(tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class Naming:
    """The newest command that names a URL, or whose mask matches it."""

    block_line: int
    block_date: dt.datetime | None
    line: int
    text: str
    action: Action


@dataclass(frozen=True, slots=True)
class BlockJudgement:
    """What the rules of one block say; date rules are asked without a date."""

    judgement: Judgement
    block_line: int
    block_date: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the script says. ``error`` tells why it could not be read; the rest is empty then.

    ``newest`` is the newest block that says anything, ``exclusions`` those that leave the URL out,
    each rule once, the newest first; ``is_let_in``: another block lets it in. ``naming`` is None
    where no command names the URL.
    """

    error: str | None = None
    newest: BlockJudgement | None = None
    exclusions: tuple[BlockJudgement, ...] = ()
    is_let_in: bool = False
    naming: Naming | None = None


def opinion_on(url: str, definition: SiteDefinition, now: dt.datetime) -> Opinion:
    """Read the script and ask its blocks, the newest first. It raises nothing for a bad script."""
    try:
        script = _read(definition, now)
    except SiteIndexerError as error:
        return Opinion(error=error.message)
    blocks = sorted(script.blocks, key=lambda block: block.date or _OLDEST, reverse=True)
    judged = list(_judged(url, blocks, definition, now))
    excluding = [each for each in judged if each.judgement.outcome is Outcome.EXCLUDE]
    by_rule = {
        each.judgement.rule.text if each.judgement.rule is not None else "": each
        for each in reversed(excluding)
    }
    return Opinion(
        newest=next(iter(judged), None),
        exclusions=tuple(reversed(by_rule.values())),
        is_let_in=len(excluding) < len(judged),
        naming=_naming(url, blocks),
    )


def _read(definition: SiteDefinition, now: dt.datetime) -> IndexScript:
    crawl = definition.crawl
    fetched = fetch_script(
        definition.script.url,
        site=definition.id,
        max_bytes=definition.script.max_bytes,
        timeout_s=min(_MOST_SECONDS, crawl.timeout.total_seconds()),
        user_agent=user_agent(crawl.user_agent_contact),
        allow_networks=crawl.allow_networks,
        now=now,
        retries=0,
        # Who asks about one URL need not wait until a script that was just changed holds still.
        settle_s=1.0,
        sleep=lambda seconds: None,
    )
    script = read_script(
        fetched.data,
        source=definition.script.url,
        now=now,
        hosts=definition.site_hosts,
        max_bytes=definition.script.max_bytes,
    )
    ensure_free_of_errors(script)
    return script


def _judged(
    url: str, blocks: list[Block], definition: SiteDefinition, now: dt.datetime
) -> Iterator[BlockJudgement]:
    """The judgements of all blocks that say anything."""
    view = view_of(definition)
    for block in blocks:
        judgement = rules_of_script_block(block, view, now=now).judge(url)
        if judgement.outcome is not Outcome.NO_MATCH:
            yield BlockJudgement(judgement, block.line, block.date)


def _naming(url: str, blocks: list[Block]) -> Naming | None:
    for block in blocks:
        for command in reversed(block.commands):
            if not command.action.is_rule and _names(command, url):
                return Naming(
                    block.line, block.date, command.line, line_of(command), command.action
                )
    return None


def _names(command: Command, url: str) -> bool:
    if command.mask is not None and command.mask_kind is not None:
        return compile_mask(command.mask, command.mask_kind).matches(url)
    return any(_is(written, url) for written in command.urls)


def _is(written: str, url: str) -> bool:
    try:
        return normalize(written) == url
    except UrlError:
        return False
