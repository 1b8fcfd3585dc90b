"""Commands that name a host which does not belong to the site (docs/spec/03-planning.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from site_indexer.index_script.diagnostic_log import LONGEST_TEXT
from site_indexer.index_script.model import (
    Action,
    Command,
    Diagnostic,
    IndexScript,
    Severity,
)
from site_indexer.planning.command_lines import line_of
from site_indexer.urls import SiteHosts, host_of, normalize, normalize_prefix
from site_indexer.urls.kinds import MaskKind

FOREIGN_HOST = "foreign-host"

_HINT = (
    "Only the hosts of the site's entry points and script, and those under `hosts` in the site "
    "file, are crawled. The site's hosts: {names}."
)


def foreign_urls(script: IndexScript, hosts: SiteHosts) -> dict[int, list[str]]:
    """Return the URLs and prefix masks of other hosts by line, as written.

    Only of ``add``, ``update``, ``delete`` and ``deletemask``; wildcards and regular expressions
    are not checked. Raises UrlError for a command that the parser would not have given.
    """
    found: dict[int, list[str]] = {}
    for block in script.blocks:
        for command in block.commands:
            foreign = [written for written, url in _named(command) if not hosts.contains(url)]
            if foreign:
                found[command.line] = foreign
    return found


def with_host_findings(
    script: IndexScript, hosts: SiteHosts, texts: Mapping[int, str] | None = None
) -> IndexScript:
    """Return the script with an error for each URL or prefix mask of a host of another site.

    ``texts`` are lines as written, by number; a line that is not there is written anew from its
    command. Lines that have such errors already get no more.
    """
    done = {found.line for found in script.diagnostics if found.code == FOREIGN_HOST}
    foreign = {line: urls for line, urls in foreign_urls(script, hosts).items() if line not in done}
    if not foreign:
        return script
    written = {
        command.line: line_of(command)
        for block in script.blocks
        for command in block.commands
        if command.line in foreign
    }
    hint = _HINT.format(names=", ".join(hosts.names) or "none")
    findings = [
        finding
        for line, urls in foreign.items()
        for finding in _findings(line, urls, {**written, **(texts or {})}[line], hint)
    ]
    diagnostics = sorted(
        (*script.diagnostics, *findings), key=lambda found: (found.line, found.column)
    )
    return replace(script, diagnostics=tuple(diagnostics))


def _named(command: Command) -> Iterator[tuple[str, str]]:
    """Yield the URLs or the prefix mask of a command, as written and normalized."""
    if command.action in (Action.ADD, Action.DELETE):
        yield from ((url, normalize(url)) for url in command.urls)
    removes_or_fetches = command.action in (Action.UPDATE, Action.DELETEMASK)
    if removes_or_fetches and command.mask is not None and command.mask_kind is MaskKind.PREFIX:
        yield command.mask, normalize_prefix(command.mask)


def _findings(line: int, urls: list[str], text: str, hint: str) -> Iterator[Diagnostic]:
    end = 0
    for url in urls:
        start = max(text.find(url, end), 0)
        end = start + len(url)
        yield Diagnostic(
            severity=Severity.ERROR,
            code=FOREIGN_HOST,
            line=line,
            column=start + 1,
            message=f"{host_of(normalize_prefix(url))} is not one of the site's hosts.",
            hint=hint,
            text=text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "...",
        )
