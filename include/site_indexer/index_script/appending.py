"""The next block of a script: what to put behind its last byte (docs/spec/08-shell.md, 8.5)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from site_indexer.errors import EmptyScriptError, ScriptError
from site_indexer.index_script.commands import MaskChecker
from site_indexer.index_script.counting import counted
from site_indexer.index_script.date_forms import rfc1123
from site_indexer.index_script.model import Block, IndexScript, Severity
from site_indexer.index_script.parser import parse
from site_indexer.index_script.vocabulary import COMMAND_WORDS, REGEXP
from site_indexer.index_script.writing import compose_block, separator_before_block

_AHEAD = dt.timedelta(days=1)
_SECOND = dt.timedelta(seconds=1)
_LOOKED_AT = 2**20  # of the end of a file: more than a line and the white space behind it


@dataclass(frozen=True, slots=True)
class NewBlock:
    """A block that fits behind a script.

    ``appended`` is what to write: ``text``, the block itself, behind what parts it from the block
    above. ``line`` is that of its date line. ``notes`` are sentences for whoever appends it.
    """

    appended: str
    text: str
    line: int
    date: dt.datetime
    notes: tuple[str, ...]


def new_block(
    before: bytes,
    lines: Iterable[str],
    *,
    source: str,
    now: dt.datetime,
    check_mask: MaskChecker,
) -> NewBlock:
    """Make the block that appends these action lines to a script, given whole.

    It is dated ``now`` (aware), or a second after the newest block where that is not older: a
    block that is not newer than all above it would never be processed. Raises
    :class:`~site_indexer.errors.ScriptError` where the lines are no block, where the file is no
    script, and where its newest block is more than a day ahead of the clock.
    """
    date = now.astimezone(dt.UTC).replace(microsecond=0)
    notes: list[str] = []
    script = _parsed(before, source, now, check_mask)
    if script is not None:
        latest = max((b for b in script.blocks if b.date), key=_date, default=None)
        if latest is not None and _date(latest) >= date:
            date = _date_behind(latest, date, source)
            notes.append(
                f"The block of line {latest.line} is as new as the clock, so this one is dated"
                " a second after it."
            )
        errors = sum(found.severity is Severity.ERROR for found in script.diagnostics)
        if errors:
            notes.append(
                f"The file has {counted(errors, 'error')}, which `site-indexer lint` shows."
                " Errors in new blocks keep a run from processing anything."
            )
    text = compose_block(date, lines, check_mask=check_mask)
    separator = separator_before_block(before[-_LOOKED_AT:])
    return NewBlock(
        appended=separator + text,
        text=text,
        line=_line_ends(before) + len(separator) + 1,
        date=date,
        notes=tuple(notes),
    )


def commands_of_words(words: Sequence[str]) -> list[str]:
    """Return the action lines that a command line means.

    A word with white space in it is a whole line. Of all others a command begins a line, and what
    is no command stands behind it. What follows ``regexp`` is an expression, whatever it looks
    like.
    """
    lines: list[str] = []
    is_open = False
    for word in words:
        if word.split() != [word]:
            lines.append(word)
            is_open = False
        elif is_open and (word.lower() not in COMMAND_WORDS or _takes_expression(lines[-1])):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
            is_open = True
    return lines


def _parsed(
    before: bytes, source: str, now: dt.datetime, check_mask: MaskChecker
) -> IndexScript | None:
    try:
        return parse(before, source=source, now=now, check_mask=check_mask, keep=lambda _: False)
    except EmptyScriptError:
        return None


def _date_behind(latest: Block, now: dt.datetime, source: str) -> dt.datetime:
    date = _date(latest)
    if date - now > _AHEAD:
        raise ScriptError(
            f"The block of line {latest.line} of {source} is dated {rfc1123(date)}, more than a day"
            " ahead of the clock, and hides every block of an earlier date.",
            hint="Mend its date, or drop it, and append the block then.",
            source=source,
        )
    return date + _SECOND


def _date(block: Block) -> dt.datetime:
    return block.date or dt.datetime.min.replace(tzinfo=dt.UTC)


def _takes_expression(line: str) -> bool:
    return line.lower().endswith(f" {REGEXP}")


def _line_ends(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
