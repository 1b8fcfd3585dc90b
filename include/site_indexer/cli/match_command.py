"""``match``: which rule of a block decides over a URL (docs/spec/08-shell.md, 8.5)."""

from __future__ import annotations

import argparse
import datetime as dt
from dataclasses import dataclass

from site_indexer.cli.inputs import clock, read_input, site_of
from site_indexer.cli.output import Output
from site_indexer.errors import ScriptError, UrlError, UsageError
from site_indexer.index_script.model import Block, IndexScript
from site_indexer.index_script.rendering import printable
from site_indexer.indexing.site_view import view_of
from site_indexer.masks import DocumentDates, Judgement, Outcome, RuleList
from site_indexer.planning.instants import instant_or_none
from site_indexer.planning.reading import read_script
from site_indexer.planning.rules import rules_of_script_block
from site_indexer.planning.selection import ensure_free_of_errors
from site_indexer.urls import SiteHosts, normalize

_NO_MATCH = Judgement(Outcome.NO_MATCH)


@dataclass(frozen=True, slots=True)
class _Match:
    """What the rules say of one URL; ``judgement`` is None for what is no URL."""

    url: str
    normalized: str | None
    judgement: Judgement | None
    on_site: bool | None
    error: str | None = None


def match(arguments: argparse.Namespace, output: Output) -> int:
    """Say of each URL whether a block lets it in, and by which rule; 1 if one is no URL.

    A script with an error anywhere fails with all its diagnostics.
    """
    now = clock(arguments)
    definition = site_of(arguments)
    hosts = None if definition is None else definition.site_hosts
    data, source = read_input(arguments.file, now)
    script = read_script(data, source=source, now=now, hosts=hosts)
    ensure_free_of_errors(script)
    block = _chosen(script, arguments.block)
    view = None if definition is None else view_of(definition)
    rules = rules_of_script_block(block, view, now=now)
    # A document without a date is one that no date rule matches, so the dates are always given.
    dates = DocumentDates(own=arguments.date, server=arguments.server_date)
    matches = [_matched(url, rules, dates, hosts) for url in arguments.urls]
    if output.as_json:
        output.document([_as_json(each) for each in matches])
    else:
        output.text(f"Block of line {block.line}")
        for each in matches:
            _print(each, dates, output)
    return int(any(each.error is not None for each in matches))


def _chosen(script: IndexScript, line: int | None) -> Block:
    """The block whose date line is that one; without a line the newest."""
    if not script.blocks:
        raise ScriptError(
            f"{script.source} has no block.",
            hint="A block starts with a date line. To append one: site-indexer append-block.",
            source=script.source,
        )
    if line is None:
        # Of blocks with one date only the first is ever processed.
        return max(script.blocks, key=_date)
    above = [block for block in script.blocks if block.line <= line]
    if above and above[-1].line == line:
        return above[-1]
    near = f" The date line of the block above is {above[-1].line}." if above else ""
    raise UsageError(
        f"{script.source}: no block has its date line in line {line}.{near}",
        hint=f"The file has {len(script.blocks)} blocks; lint lists them.",
        source=script.source,
    )


def _date(block: Block) -> dt.datetime:
    return block.date or dt.datetime.min.replace(tzinfo=dt.UTC)


def _matched(
    written: str, rules: RuleList, dates: DocumentDates, hosts: SiteHosts | None
) -> _Match:
    try:
        url = normalize(written)
    except UrlError as error:
        return _Match(written, None, None, None, error.message)
    on_site = None if hosts is None else hosts.contains(url)
    # A crawl never leaves the site, whatever the rules say.
    judgement = _NO_MATCH if on_site is False else rules.judge(url, dates)
    return _Match(written, url, judgement, on_site)


def _as_json(match: _Match) -> dict[str, object]:
    judgement = match.judgement
    rule = None if judgement is None else judgement.rule
    return {
        "url": match.url,
        "normalized": match.normalized,
        "decision": None if judgement is None else judgement.outcome.value,
        "line": None if rule is None else rule.line,
        "rule": None if rule is None else rule.text,
        "origin": None if rule is None else rule.origin.value,
        "nofollow": judgement is not None and judgement.nofollow,
        "noindex": judgement is not None and judgement.noindex,
        "date_dependent": judgement is not None and judgement.date_dependent,
        "on_site": match.on_site,
        "error": match.error,
    }


def _print(match: _Match, dates: DocumentDates, output: Output) -> None:
    judgement = match.judgement
    if judgement is None:
        output.text(f"{'error':<8}  {printable(match.url)}\n{'':10}{printable(match.error or '')}")
        return
    output.text(f"{judgement.outcome.value:<8}  {match.normalized}")
    output.text(f"{'':10}{_reason(match, judgement)}")
    if judgement.date_dependent:
        own, server = (instant_or_none(date) or "none" for date in (dates.own, dates.server))
        output.text(f"{'':10}a date rule was asked: own date {own}, server's date {server}")


def _reason(match: _Match, judgement: Judgement) -> str:
    if match.on_site is False:
        return "it is on no host of the site, so it is never crawled"
    rule = judgement.rule
    if rule is None:
        return "no rule matches, so it is left out"
    where = "" if rule.line is None else f"line {rule.line}, "
    return f"{where}{rule.origin.value}: {printable(rule.text)}"
