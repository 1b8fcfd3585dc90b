"""Commands written as one line of a script, in one spelling, and the digests of blocks."""

from __future__ import annotations

import hashlib

from site_indexer.index_script.model import Block, Command
from site_indexer.urls.kinds import MaskKind


def line_of(command: Command) -> str:
    """Return the command as a line: lower-case words, single spaces, flags behind the mask."""
    return " ".join(_fields(command))


def block_digest(block: Block) -> str:
    """Return the hex SHA-256 of a block's date and commands, wherever in the file it stands.

    Two blocks with the same digest ask for the same. Used to tell a block that was edited, or
    put in late, from one that was processed.
    """
    date = "" if block.date is None else block.date.isoformat()
    lines = [date, *(line_of(command) for command in block.commands)]
    return hashlib.sha256("\n".join(lines).encode(errors="surrogatepass")).hexdigest()


def _fields(command: Command) -> list[str]:
    fields = [command.action.value]
    if command.days is not None:
        fields.append(str(command.days))
    if command.date is not None:
        fields.append(command.date.isoformat())
    fields += command.urls
    if command.mask is not None:
        fields += ["regexp"] * (command.mask_kind is MaskKind.REGEXP)
        fields.append(command.mask)
    flags = {
        "nofollow": command.nofollow,
        "noindex": command.noindex,
        "server-date": command.server_date,
    }
    return fields + [word for word, given in flags.items() if given]
