"""Commands that name a host which does not belong to the site (docs/spec/03-planning.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from site_indexer.index_script.codes import Code
from site_indexer.index_script.commands import HostChecker
from site_indexer.index_script.diagnostic_log import LONGEST_TEXT
from site_indexer.index_script.model import (
    Action,
    Command,
    Diagnostic,
    IndexScript,
    Severity,
)
from site_indexer.index_script.spelling import line_of
from site_indexer.urls import SiteHosts, host_of, normalize, normalize_prefix
from site_indexer.urls.kinds import MaskKind

_HINT = (
    "Only the hosts of the site's entry points and script, and those under `hosts` in the site "
    "file, are crawled. The site's hosts: {names}."
)


def host_checker(hosts: SiteHosts) -> HostChecker:
    """Return what says of a URL of another site that it is one."""
    hint = _HINT.format(names=", ".join(hosts.names) or "none")

    def check(url: str) -> tuple[str, str] | None:
        if hosts.contains(url):
            return None
        return f"{host_of(url)} is not one of the site's hosts.", hint

    return check


def with_host_findings(script: IndexScript, hosts: SiteHosts) -> IndexScript:
    """Return the script with an error for each URL or prefix mask of a host of another site.

    For a script that was read without the site's hosts: its lines are written anew from their
    commands. Lines that have such errors already get no more. Only ``add``, ``update``, ``delete``
    and ``deletemask`` are checked; wildcards and regular expressions are not.
    """
    done = {found.line for found in script.diagnostics if found.code == Code.FOREIGN_HOST}
    check = host_checker(hosts)
    findings = [
        finding
        for block in script.blocks
        for command in block.commands
        if command.line not in done
        for finding in _findings(command, check)
    ]
    if not findings:
        return script
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


def _findings(command: Command, check: HostChecker) -> Iterator[Diagnostic]:
    text = ""
    end = 0
    for written, url in _named(command):
        problem = check(url)
        if problem is None:
            continue
        text = text or line_of(command)
        start = max(text.find(written, end), 0)
        end = start + len(written)
        yield Diagnostic(
            severity=Severity.ERROR,
            code=Code.FOREIGN_HOST.value,
            line=command.line,
            column=start + 1,
            message=problem[0],
            hint=problem[1],
            text=text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "...",
        )
