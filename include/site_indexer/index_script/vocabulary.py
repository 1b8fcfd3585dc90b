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

_BEHIND = "behind the URL or mask of a command"
_PLACES = {REGEXP: "before the mask of a command"}

# Words for the same things that other formats have.
_OTHER_WORDS = (
    dict.fromkeys(("remove", "drop", "erase", "unlink", "purge", "del", "rm"), "delete")
    | dict.fromkeys(("refresh", "reload", "recrawl", "refetch", "reindex", "change"), "update")
    | dict.fromkeys(("index", "insert", "create", "crawl", "fetch", "get", "new"), "add")
    | dict.fromkeys(("disallow", "deny", "ignore", "skip", "block"), "exclude")
    | dict.fromkeys(("allow", "accept", "permit"), "include")
)

_RESEMBLANCE = 0.6  # difflib's own measure of a good match
_LONGEST_WORD = 30
_NO_LETTER = re.compile(r"[^a-z-]+")


def resembling(word: str, words: tuple[str, ...]) -> str | None:
    """Return the known word that a word was most likely meant to be, if there is one."""
    letters = _NO_LETTER.sub("", word.lower())
    # A comparison costs a tenth of a millisecond and a binary file has a million "words", so only
    # what could be a misspelt word is compared.
    if not len(word) / 2 <= len(letters) <= _LONGEST_WORD:
        return None
    return _closest(letters, words)


def nearest(word: str, words: tuple[str, ...]) -> str:
    """Return the known word that is nearest, however far it is."""
    likely = resembling(word, words)
    if likely is not None:
        return likely
    letters = set(word.lower())
    return max(words, key=lambda known: len(letters.intersection(known)))


def unknown_command(word: str) -> Finding:
    """Return the error for a line's first word that is none of the commands."""
    lower = word.lower()
    if lower in KEYWORDS:
        message = f"{quoted(word)} is not a command."
        hint = f"`{lower}` is a keyword, which stands {_PLACES.get(lower, _BEHIND)}."
        return Finding(0, Code.UNKNOWN_COMMAND, message, hint)
    if lower in _OTHER_WORDS:
        message = f"{quoted(word)} is not a command."
        hint = f"The nearest known word is `{_OTHER_WORDS[lower]}`."
        return Finding(0, Code.UNKNOWN_COMMAND, message, hint)
    if "://" in word and word.isprintable():
        message = f"{quoted(word)} is not a command, but a URL."
        hint = "The nearest known word is `add`, which stands before a URL."
        return Finding(0, Code.UNKNOWN_COMMAND, message, hint)
    return _unknown(0, word, COMMAND_WORDS, Code.UNKNOWN_COMMAND, "a command")


def unknown_keyword(field: int, word: str, words: tuple[str, ...] = KEYWORDS) -> Finding:
    """Return the error for a word that is none of the keywords."""
    return _unknown(field, word, words, Code.UNKNOWN_KEYWORD, "a keyword")


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


def _unknown(field: int, word: str, words: tuple[str, ...], code: Code, what: str) -> Finding:
    hint = f"The nearest known word is `{nearest(word, words)}`."
    if "\0" in word:
        hint += " The file looks like UTF-16. Save it as UTF-8."
    elif not word.isprintable():
        hint += " The field holds a character that cannot be seen, such as the space U+00A0."
    return Finding(field, code, f"{quoted(word)} is not {what}.", hint)


@functools.lru_cache(maxsize=4096)
def _closest(letters: str, words: tuple[str, ...]) -> str | None:
    return next(iter(difflib.get_close_matches(letters, words, 1, _RESEMBLANCE)), None)
