"""The words of the language, and which of them a wrong word was meant to be."""

from __future__ import annotations

import difflib
import functools
import re

from site_indexer.index_script.codes import Code
from site_indexer.index_script.findings import Finding, quoted
from site_indexer.index_script.model import Action

DATE_WORDS = ("date", "seconds")
COMMAND_WORDS = (*DATE_WORDS, *(action.value for action in Action))
REGEXP = "regexp"
NOFOLLOW, NOINDEX, SERVER_DATE = "nofollow", "noindex", "server-date"
KEYWORDS = (NOFOLLOW, NOINDEX, SERVER_DATE, REGEXP)

_RESEMBLANCE = 0.6  # difflib's own measure of a good match
# Whatever else a file holds is compared by its first letter only: a binary file has hundreds of
# thousands of lines, and a comparison costs a fifth of a millisecond.
_WORD_LIKE = re.compile(r"[A-Za-z_,.:;*-]{1,30}").fullmatch


@functools.lru_cache(maxsize=4096)
def resembling(word: str, words: tuple[str, ...]) -> str | None:
    """Return the known word that a word was most likely meant to be, if there is one."""
    if not _WORD_LIKE(word):
        return None
    return next(iter(difflib.get_close_matches(word.lower(), words, 1, _RESEMBLANCE)), None)


def nearest(word: str, words: tuple[str, ...]) -> str:
    """Return the known word that is nearest, however far it is."""
    likely = resembling(word, words)
    if likely is not None:
        return likely
    return next((known for known in words if known[0] == word[:1].lower()), words[0])


def unknown_word(field: int, word: str, words: tuple[str, ...], code: Code, what: str) -> Finding:
    """Return the error for a word that is unknown where ``what`` (as "a command") is expected."""
    hint = f"The nearest known word is `{nearest(word, words)}`."
    if any(char.isspace() for char in word):
        hint += " The field holds a space of another kind (as U+00A0); use ordinary spaces."
    return Finding(field, code, f"{quoted(word)} is not {what}.", hint)


def comma_finding(field: int, word: str, words: tuple[str, ...]) -> Finding | None:
    """Return the error for known words with commas stuck to them, None for any other field."""
    parts = [part for part in word.lower().split(",") if part]
    if "," not in word or not all(part in words for part in parts):
        return None
    meant = f" Write `{' '.join(parts)}`." if parts else ""
    return Finding(
        field,
        Code.COMMA_AFTER_WORD,
        f"A comma is stuck to {quoted(word)}; a comma separates nothing here.",
        f"Separate fields by spaces.{meant}",
    )
