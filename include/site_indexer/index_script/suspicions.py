"""What the language takes as it stands, though something else was most likely meant: warnings.

Rules: docs/spec/01-script-language.md, 1.1 and 1.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from site_indexer.index_script.codes import Code
from site_indexer.index_script.findings import Finding, quoted
from site_indexer.index_script.model import Severity
from site_indexer.urls import MaskKind

# What expressions have and URLs hardly ever: anchors, escapes, bracket classes and ranges.
_EXPRESSION = re.compile(r"\A\^|\$\Z|\\|\[\[:|\[\^?(?:0-9|a-z|A-Z)")
_JOINED = re.compile(r",https?://", re.IGNORECASE)
_QUOTES = ('"', "'")


def suspicions_of_url(fields: Sequence[str], index: int) -> Iterator[Finding]:
    """Yield what is odd about a field that is, or should be, a URL."""
    field = fields[index]
    if "," not in field:
        return
    if field.endswith(",") and index + 1 < len(fields):
        message = f"The comma at the end of {quoted(field)} is part of it."
        hint = "Fields are separated by spaces; if the comma was to separate, drop it."
        yield _warning(index, Code.COMMA_AFTER_URL, message, hint)
    if _JOINED.search(field):
        message = f"{quoted(field)} is one URL, the commas in it included."
        hint = (
            "A comma separates nothing; if it was to separate, write a space, or a line for each."
        )
        yield _warning(index, Code.COMMA_BETWEEN_URLS, message, hint)


def suspicions_of_mask(fields: Sequence[str], index: int, kind: MaskKind) -> Iterator[Finding]:
    """Yield what is odd about a mask that can be used."""
    mask = fields[index]
    if kind is not MaskKind.REGEXP:
        yield from _of_prefix_or_wildcard(mask, index)
    if len(mask) > 1 and mask[0] == mask[-1] and mask[0] in _QUOTES:
        message = f"The quotes around {quoted(mask)} are part of it, and no stored URL has them."
        yield _warning(index, Code.QUOTES_AROUND_MASK, message, "Drop the quotes.")


def looks_like_expression(mask: str) -> bool:
    """Whether a mask without the word ``regexp`` seems to be meant as a regular expression."""
    return _EXPRESSION.search(mask) is not None


def _of_prefix_or_wildcard(mask: str, index: int) -> Iterator[Finding]:
    if "#" in mask:
        kept = mask.partition("#")[0]
        message = (
            f"What follows the # in {quoted(mask)} does not count; it matches as {quoted(kept)}."
        )
        hint = "URLs are stored without fragments. Write %23 for the character itself."
        yield _warning(index, Code.FRAGMENT_IN_MASK, message, hint)
    if looks_like_expression(mask):
        message = f"{quoted(mask)} looks like a regular expression, and is matched as it stands."
        hint = "If it is one, write the word `regexp` before it."
        yield _warning(index, Code.REGEXP_MISSING, message, hint)


def _warning(index: int, code: Code, message: str, hint: str) -> Finding:
    return Finding(index, code, message, hint, Severity.WARNING)
