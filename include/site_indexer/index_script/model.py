"""What a parsed index script is made of (docs/spec/01-script-language.md)."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from site_indexer.urls.kinds import MaskKind


class Action(StrEnum):
    """The commands of the language."""

    ADD = "add"
    UPDATE = "update"
    INCLUDE = "include"
    EXCLUDE = "exclude"
    INCLUDE_DAYS = "include-days"
    INCLUDE_DATE = "include-date"
    EXCLUDE_DAYS = "exclude-days"
    EXCLUDE_DATE = "exclude-date"
    DELETE = "delete"
    DELETEMASK = "deletemask"

    @property
    def is_rule(self) -> bool:
        """Whether the command is a line of the block's ordered rule list."""
        return self.value.startswith(("include", "exclude"))


class DateForm(StrEnum):
    """The forms of a date line."""

    RFC1123 = "rfc1123"
    RFC850 = "rfc850"
    ASCTIME = "asctime"
    SECONDS = "seconds"


class Severity(StrEnum):
    """An error keeps its block from being processed; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding in a script. ``line`` and ``column`` count from 1; ``column`` in characters."""

    severity: Severity
    code: str
    line: int
    column: int
    message: str
    hint: str
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """One action line. URLs and masks are as written, without the word ``regexp``."""

    line: int
    action: Action
    urls: tuple[str, ...] = ()
    mask: str | None = None
    mask_kind: MaskKind | None = None
    days: int | None = None
    date: dt.date | None = None
    nofollow: bool = False
    noindex: bool = False
    server_date: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A date line and its commands. ``date`` is aware UTC, None where it cannot be read.

    Where the commands are not kept there are none, and ``digest`` is that of the whole block.

    Commands without a date line make a block too, whose ``line`` is that of the first of them:
    their errors must count as those of a block that is new.
    """

    line: int
    date: dt.datetime | None
    date_form: DateForm | None
    commands: tuple[Command, ...]
    has_date_line: bool = True
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class IndexScript:
    """A whole file: every block in file order, every diagnostic in line order."""

    source: str
    encoding: str
    blocks: tuple[Block, ...]
    diagnostics: tuple[Diagnostic, ...]
