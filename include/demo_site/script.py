"""The site's own index script, and the block that announces a change."""

from __future__ import annotations

import email.utils
import re
from collections.abc import Iterable
from datetime import UTC, datetime

from demo_site.catalogue import CONTENT

# What the template puts in place of the scheme, host and port of the server.
PLACEHOLDER = "{base}"
# The date of the last block of the first script: the first run leaves the watermark here.
FIRST_RUN = datetime(2025, 9, 22, 6, 30, tzinfo=UTC)


def first_script(base_url: str) -> str:
    """The index script of the site as first published, for the server at ``base_url``."""
    template = (CONTENT / "indexlist.txt").read_text(encoding="utf-8")
    return template.replace(PLACEHOLDER, base_url)


def with_block(text: str, comment: str, date: datetime, commands: Iterable[str]) -> tuple[str, int]:
    """``text`` with a new last block, and the line number of that block's date line.

    The date is written in the HTTP/1.1 form (docs/spec/01-script-language.md, Blocks and dates).
    """
    separator = "" if text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
    head = f"{text}{separator}# {comment}\n"
    line = len(re.findall(r"\r\n|\r|\n", head)) + 1
    date_line = f"date {email.utils.format_datetime(date.astimezone(UTC), usegmt=True)}"
    return head + "\n".join([date_line, *commands]) + "\n", line
