"""Parses index scripts (docs/spec/01-script-language.md)."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Callable, Iterable, Sequence

from site_indexer.errors import EmptyScriptError, HtmlInsteadOfScriptError
from site_indexer.index_script.block_order import BlockOrder
from site_indexer.index_script.codes import Code
from site_indexer.index_script.commands import CommandReader, HostChecker, MaskChecker
from site_indexer.index_script.dates import DateReading, read_date, read_seconds
from site_indexer.index_script.diagnostic_log import DiagnosticLog
from site_indexer.index_script.findings import MOST_FIELDS, Finding, too_many_fields
from site_indexer.index_script.grammar import GRAMMARS, Grammar
from site_indexer.index_script.lines import (
    DEFAULT_MAX_BYTES,
    WHITE_SPACE,
    LineReader,
    UndecodableLine,
)
from site_indexer.index_script.model import (
    Block,
    Command,
    IndexScript,
    Severity,
)
from site_indexer.index_script.plain_lines import command_of, match_plain_line
from site_indexer.index_script.spelling import digest_of, spelled
from site_indexer.index_script.vocabulary import (
    COMMAND_WORDS,
    DATE_WORDS,
    comma_finding,
    resembling,
    unknown_command,
)

Keep = Callable[[dt.datetime | None], bool]

_FIELD = re.compile(r"[^ \t]+")
_HTML = re.compile(
    r"<(?:!doctype|!--|\?xml|html|head|body|title|meta|link|script|style|iframe|div|table|h1|p|a|b"
    r"|br|font|center)\b|<!--",
    re.IGNORECASE,
).match


def parse(
    data: bytes | Iterable[bytes],
    *,
    source: str,
    check_mask: MaskChecker,
    check_host: HostChecker | None = None,
    now: dt.datetime | None = None,
    keep: Keep | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> IndexScript:
    """Parse a script, given whole or in chunks, and find all its errors in one pass.

    ``source`` names it in messages. ``check_mask`` says what is wrong with a mask,
    ``check_host`` with the host of a URL or prefix mask that is to be crawled or removed; without
    it any will do. With ``now`` (aware) blocks more than a day ahead of it are reported; it decides
    the century of two-digit years too, for which the clock is read where it is not given. ``keep``
    is asked once for each block, from top to bottom, with its date; the commands of a block that it
    turns down are checked like all others and not kept but for their digest, so that memory grows
    with what is kept.

    A line with an error gives no command. Raises
    :class:`~site_indexer.errors.EmptyScriptError`,
    :class:`~site_indexer.errors.HtmlInsteadOfScriptError`,
    :class:`~site_indexer.errors.ScriptTooLargeError` and
    :class:`~site_indexer.errors.TooManyErrorsError` (docs/spec/01-script-language.md, 1.6).
    """
    reader = LineReader(data, source=source, max_bytes=max_bytes)
    parsing = _Parsing(CommandReader(check_mask, check_host), now, keep, DiagnosticLog(source))
    seen = False
    for lines in reader.batches():
        if not seen:
            seen = _check_start(lines, source)
        parsing.take(lines)
    if not seen:
        raise EmptyScriptError(
            f"The index script {source} is empty.",
            hint="It needs at least one block: a date line and commands.",
            source=source,
        )
    return parsing.finished(source, reader.undecodable)


def _check_start(lines: Sequence[str], source: str) -> bool:
    """Look at the first line that is not blank, if there is one here."""
    first = next(filter(None, (line.strip(WHITE_SPACE) for line in lines)), None)
    if first is not None and _HTML(first):
        raise HtmlInsteadOfScriptError(
            f"{source} is a web page, not an index script.",
            hint="Check the address; many servers answer with a page where a file is missing.",
            source=source,
        )
    return first is not None


class _Parsing:
    """One parse under way: the block that is open, and what came before it."""

    def __init__(
        self,
        commands: CommandReader,
        now: dt.datetime | None,
        keep: Keep | None,
        log: DiagnosticLog,
    ) -> None:
        self._log = log
        self._commands = commands
        self._now = now or dt.datetime.now(dt.UTC)
        self._order = BlockOrder(now)
        self._keep = keep
        self._number = 0
        self._blocks: list[Block] = []
        self._last_dated = 0
        self._block_line = 0  # 0: no block is open
        self._block_date: DateReading | None = None
        self._block_commands: list[Command] = []
        self._block_lines: list[str] = []  # of commands that are not kept
        self._keeping = True

    def take(self, lines: Iterable[str]) -> None:
        """Parse the next lines."""
        for raw in lines:
            self._number += 1
            text = raw.strip(WHITE_SPACE)
            if not text:
                if self._block_line:
                    self._close_block()
                continue
            if text[0] == "#" or (self._is_in_block and self._take_plain(text)):
                continue
            fields = _fields(text)
            is_cut = len(fields) > MOST_FIELDS
            fields = fields[:MOST_FIELDS] if is_cut else fields
            findings = [too_many_fields()] if is_cut else []
            grammar = GRAMMARS.get(fields[0].lower())
            if grammar is not None:
                self._take_action(fields, grammar, findings)
            else:
                self._take_other(fields, findings)
            if findings:
                self._log.report(self._number, raw, findings)

    @property
    def _is_in_block(self) -> bool:
        return self._block_line > 0 and self._block_date is not None

    def _take_plain(self, text: str) -> bool:
        """Take a line that is right at first sight; False if it takes a second one."""
        plain = match_plain_line(text)
        if plain is None or not self._commands.allows(plain["origin"]):
            return False
        if plain["masking"] is not None and not self._commands.accepts(plain["url"]):
            return False
        if self._keeping:
            self._block_commands.append(command_of(plain, self._number))
        else:
            self._block_lines.append(text)
        return True

    def finished(self, source: str, undecodable: UndecodableLine | None) -> IndexScript:
        """End the last block and return everything."""
        self._close_block()
        if undecodable is not None:
            self._log.report_undecodable(undecodable)
        encoding = "utf-8" if undecodable is None else "latin-1"
        return IndexScript(source, encoding, tuple(self._blocks), self._log.in_line_order())

    def _take_action(
        self, fields: Sequence[str], grammar: Grammar, findings: list[Finding]
    ) -> None:
        if not self._block_line:
            self._open_block(None)
        parts = self._commands.read(fields, grammar, findings)
        if self._block_date is None:
            findings.append(self._no_date_line(fields[0]))
        elif parts is None:
            return
        elif self._keeping:
            self._block_commands.append(Command(self._number, grammar.action, *parts))
        else:
            self._block_lines.append(spelled(grammar.action.value, parts))

    def _take_other(self, fields: Sequence[str], findings: list[Finding]) -> None:
        """Take a line that is no action: a date line, or one with a wrong first word."""
        word = fields[0].lower()
        if word in DATE_WORDS:
            meant: str | None = word
            date = read_date(fields, self._now) if word == "date" else read_seconds(fields)
        else:
            comma = comma_finding(0, fields[0], COMMAND_WORDS)
            unknown = comma or unknown_command(fields[0])
            meant = resembling(word.rstrip(","), COMMAND_WORDS)
            date = DateReading(None, None, (unknown,))
        if meant in DATE_WORDS:
            self._take_date(date, findings)
            return
        findings.extend(date.findings)
        if not self._block_line:
            self._open_block(None)

    def _take_date(self, date: DateReading, findings: list[Finding]) -> None:
        if self._block_line:
            if self._block_date is not None:
                findings.append(_missing_blank_line(self._block_line))
            self._close_block()
        findings.extend(date.findings)
        if date.date is not None and date.form is not None:
            findings.extend(self._order.check(date.date, date.form, self._number))
        self._open_block(date)

    def _open_block(self, date: DateReading | None) -> None:
        self._block_line = self._number
        self._block_date = date
        if date is not None:
            self._last_dated = self._number
        if self._keep is not None:
            self._keeping = self._keep(None if date is None else date.date)

    def _close_block(self) -> None:
        if not self._block_line:
            return
        read = self._block_date
        date, form = (None, None) if read is None else (read.date, read.form)
        commands = tuple(self._block_commands)
        digest = None if self._keeping else digest_of(date, self._block_lines)
        self._blocks.append(Block(self._block_line, date, form, commands, read is not None, digest))
        self._block_line = 0
        self._block_commands = []
        self._block_lines = []

    def _no_date_line(self, word: str) -> Finding:
        above = self._last_dated
        ended = f" The block of line {above} ended at a blank line above." if above else ""
        return Finding(
            0,
            Code.NO_DATE_LINE,
            f"`{word.lower()}` stands before any date line of its block.",
            f"Begin the block with a line as: date Sun, 06 Nov 1994 08:49:37 GMT.{ended}",
        )


def _fields(text: str) -> list[str]:
    """Return the fields of a line, one more at most than are read."""
    simple = "  " not in text and "\t" not in text
    if len(text) <= 2 * MOST_FIELDS:
        return text.split(" ") if simple else _FIELD.findall(text)
    # A line of megabytes may be nothing but fields, each of which takes 50 bytes.
    return [match[0] for match in itertools.islice(_FIELD.finditer(text), MOST_FIELDS + 1)]


def _missing_blank_line(line: int) -> Finding:
    return Finding(
        0,
        Code.MISSING_BLANK_LINE,
        f"A blank line is missing before this date line; it ends the block of line {line}.",
        "Separate blocks by a blank line.",
        Severity.WARNING,
    )
