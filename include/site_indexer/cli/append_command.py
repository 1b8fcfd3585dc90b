"""``append-block``: writes a valid block with the current date (docs/spec/08-shell.md, 8.5)."""

from __future__ import annotations

import argparse
import fcntl
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from site_indexer.cli.inputs import MAX_BYTES, clock
from site_indexer.cli.output import Output
from site_indexer.errors import ScriptTooLargeError, UsageError
from site_indexer.index_script.appending import NewBlock, commands_of_words, new_block
from site_indexer.index_script.rendering import date_as_json
from site_indexer.index_script.writing import compose_block
from site_indexer.masks import check_mask


def append(arguments: argparse.Namespace, output: Output) -> int:
    """Append a block with these commands to a script, which is begun where there is none."""
    now = clock(arguments)
    lines = _commands(arguments.commands)
    # Before the file is opened: what is no block must not even begin one.
    compose_block(now, lines, check_mask=check_mask)
    with _opened(arguments.file) as file:
        before = file.read(MAX_BYTES + 1)
        block = new_block(before, lines, source=arguments.file, now=now, check_mask=check_mask)
        _write(file, before, block.appended.encode(), arguments.file)
    _report(arguments.file, block, output)
    return 0


def _commands(words: list[str]) -> list[str]:
    lines = commands_of_words(words)
    if words == ["-"]:
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        lines = [line for line in text.splitlines() if line.strip()]
    try:
        "".join(lines).encode()
    except UnicodeEncodeError:
        raise UsageError(
            "The commands are not UTF-8.", hint="Write such characters as %XX in URLs."
        ) from None
    return lines


@contextmanager
def _opened(name: str) -> Iterator[io.FileIO]:
    """The file, locked against others that append: two blocks of one moment must not meet."""
    if name == "-" or name.lower().startswith(("http://", "https://")):
        raise UsageError(
            f"{name}: a block can only be appended to a file of this machine.",
            hint="Give a path; append-block without a web server's file cannot publish it.",
            file=name,
        )
    try:
        with Path(name).open("a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            yield file
    except OSError as error:
        raise UsageError(
            f"{name}: cannot be written: {error.strerror}.",
            hint="Give a file that may be written, or one that does not exist, in a folder"
            " that does.",
            file=name,
        ) from error


def _write(file: io.FileIO, before: bytes, block: bytes, name: str) -> None:
    """Write the block at once, or nothing: half a block could be taken for a whole one."""
    if len(before) + len(block) > MAX_BYTES:
        raise ScriptTooLargeError(
            f"{name} would be larger than {MAX_BYTES:,} bytes.",
            hint="Drop old blocks from the file first.",
            file=name,
        )
    written = 0
    try:
        while written < len(block):
            written += file.write(block[written:])
        os.fsync(file.fileno())
    except OSError:
        if written and os.fstat(file.fileno()).st_size == len(before) + written:
            file.truncate(len(before))
        raise


def _report(name: str, block: NewBlock, output: Output) -> None:
    if output.as_json:
        output.document(
            {
                "file": name,
                "line": block.line,
                "date": date_as_json(block.date),
                "text": block.text,
                "notes": list(block.notes),
            }
        )
        return
    output.text(f"{name}: a block is appended, its date line is line {block.line}.")
    output.text(block.text.rstrip("\n"))
    for note in block.notes:
        output.text(f"note: {note}")
