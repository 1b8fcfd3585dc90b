"""Commands written as one line of a script, in one spelling, and the digests of blocks."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable

from site_indexer.index_script.model import Block, Command
from site_indexer.index_script.vocabulary import NOFOLLOW, NOINDEX, REGEXP, SERVER_DATE
from site_indexer.urls.kinds import MaskKind

Parts = tuple[
    tuple[str, ...], str | None, MaskKind | None, int | None, dt.date | None, bool, bool, bool
]
"""What a command has beyond its line and action, in the order of :class:`Command`'s fields."""


def line_of(command: Command) -> str:
    """Return the command as a line: lower-case words, single spaces, flags behind the mask."""
    parts = (
        command.urls,
        command.mask,
        command.mask_kind,
        command.days,
        command.date,
        command.nofollow,
        command.noindex,
        command.server_date,
    )
    return spelled(command.action.value, parts)


def spelled(action: str, parts: Parts) -> str:
    """Return the line of a command that is still in parts; see :func:`line_of`."""
    urls, mask, kind, days, date, nofollow, noindex, server_date = parts
    words = [action]
    if days is not None:
        words.append(str(days))
    if date is not None:
        words.append(date.isoformat())
    words += urls
    if mask is not None:
        if kind is MaskKind.REGEXP:
            words.append(REGEXP)
        words.append(mask)
    if nofollow:
        words.append(NOFOLLOW)
    if noindex:
        words.append(NOINDEX)
    if server_date:
        words.append(SERVER_DATE)
    return " ".join(words)


def block_digest(block: Block) -> str:
    """Return the hex SHA-256 of a block's date and commands, wherever in the file it stands.

    Two blocks with the same digest ask for the same. Used to tell a block that was edited, or
    put in late, from one that was processed.
    """
    if block.digest is not None:
        return block.digest
    return digest_of(block.date, map(line_of, block.commands))


def digest_of(date: dt.datetime | None, lines: Iterable[str]) -> str:
    """Return the digest of a block of that date with commands that are spelled so."""
    texts = ("" if date is None else date.isoformat(), *lines)
    return hashlib.sha256("\n".join(texts).encode(errors="surrogatepass")).hexdigest()
