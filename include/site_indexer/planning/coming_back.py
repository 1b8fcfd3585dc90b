"""What a block deletes and then lets in again (docs/spec/03-planning.md, 3.6).

Within a block all deletes come first. So a page that the block adds as well is fetched again, and
one that an ``add`` or ``update`` of the block reaches by links comes back, if it is still there.
Only what the block's own lines tell is warned of: whether there is such a link, the crawl shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from site_indexer.index_script.model import Action, Block, Command, Diagnostic, Severity
from site_indexer.index_script.spelling import line_of
from site_indexer.masks import Mask, compile_mask, cover_samples, covers
from site_indexer.masks.mask_index import MaskIndex
from site_indexer.planning.own_exclusion import OwnExclusions
from site_indexer.urls import normalize
from site_indexer.urls.kinds import MaskKind

CODE = "delete-undone"

_ADDED = "Within a block deletes come first, so the page is fetched and indexed again. Drop a line."
_REACHED = (
    "Within a block deletes come first. A page that is gone stays gone; one that still answers"
    " comes back if a page links to it. Exclude it in this block, or say nofollow in line {line}."
)


def deletes_undone(block: Block, rules: OwnExclusions) -> Iterator[Diagnostic]:
    """Yield a warning for each delete of the block that the block itself may undo.

    ``rules`` are those asked before the includes of ``add`` and ``update``: what they exclude does
    not come back. Of a ``delete`` with several URLs the first one is named.
    """
    deletes = [each for each in block.commands if each.action is Action.DELETE]
    deletemasks = [each for each in block.commands if each.action is Action.DELETEMASK]
    if not deletes and not deletemasks:
        return
    bringing = _Bringing(block.commands)
    for command in deletes:
        yield from _of_delete(command, bringing, rules)
    for command in deletemasks:
        yield from _of_deletemask(command, bringing, rules)


class _Bringing:
    """The commands of a block that may bring back a URL: it is theirs, or their links' to reach."""

    def __init__(self, commands: Sequence[Command]) -> None:
        self.adding = {
            normalize(url): command
            for command in commands
            if command.action is Action.ADD and not command.noindex
            for url in command.urls
        }
        following = [
            (command, mask)
            for command in commands
            if command.action in (Action.ADD, Action.UPDATE) and not command.nofollow
            for mask in _masks(command)
        ]
        self._commands = [command for command, _ in following]
        self._masks = [mask for _, mask in following]
        self._index = MaskIndex(self._masks)

    def reaching(self, url: str) -> Command | None:
        """Return the first command whose include lets a URL in that its links may lead to."""
        first = self._index.first(url)
        return None if first is None else self._commands[first]

    def reaching_all_of(self, mask: Mask) -> Command | None:
        """Return the first command that surely lets in what a mask matches, and more than that."""
        samples = [set(self._index.matching(sample)) for sample in cover_samples(mask)]
        for place in sorted(set.intersection(*samples)):
            wider = self._masks[place]
            if wider.kind is not MaskKind.REGEXP and not covers(mask, wider):
                return self._commands[place]
        return None


def _masks(command: Command) -> Iterator[Mask]:
    for url in command.urls:
        yield compile_mask(normalize(url), MaskKind.PREFIX)
    if command.mask is not None:
        yield compile_mask(command.mask, command.mask_kind or MaskKind.PREFIX)


def _of_delete(command: Command, bringing: _Bringing, rules: OwnExclusions) -> Iterator[Diagnostic]:
    for url in command.urls:
        normalized = normalize(url)
        adding = bringing.adding.get(normalized)
        by = adding or bringing.reaching(normalized)
        if by is None or rules.of_url(normalized) is not None:
            continue
        does = "adds" if adding else "may bring back"
        hint = _ADDED if adding else _REACHED.format(line=by.line)
        message = f"line {command.line} deletes a URL that line {by.line} {does}"
        yield _warning(command, url, message, hint)
        return


def _of_deletemask(
    command: Command, bringing: _Bringing, rules: OwnExclusions
) -> Iterator[Diagnostic]:
    named = command.mask or ""
    mask = compile_mask(named, command.mask_kind or MaskKind.PREFIX)
    by = bringing.reaching_all_of(mask)
    if by is not None and rules.of_mask(mask) is None:
        message = f"line {command.line} deletes documents that line {by.line} may bring back"
        yield _warning(command, named, message, _REACHED.format(line=by.line))


def _warning(command: Command, named: str, message: str, hint: str) -> Diagnostic:
    text = line_of(command)
    return Diagnostic(
        severity=Severity.WARNING,
        code=CODE,
        line=command.line,
        column=text.find(named) + 1,
        message=message,
        hint=hint,
        text=text,
    )
