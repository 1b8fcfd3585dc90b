"""The language of a page: what it states, or what its text is in (docs/spec/04-crawling.md, 4.6).

Detection is CLD2's (docs/adr/0012-language-detection.md). It costs a fifth of reading a page, so it
is asked only where nothing is stated, or where the text looks as if another language were meant.
"""

from __future__ import annotations

import re

import pycld2  # type: ignore[import-untyped]

from site_indexer.crawling.language_tags import primary_language

# As good as the whole: what comes later is more often code or lists.
_LOOKED_AT = 2_000
# Bytes of words; of less even what is found "reliably" is a guess.
_FEWEST_BYTES = 60
# Russian and Chinese among foreign names are often not called reliable; of so many bytes such a
# share is enough.
_ENOUGH_BYTES = 200
_ENOUGH_OF_THEM = 40
# Names and code in English stand in pages of all languages, and seldom the other way round.
_ENOUGH_BESIDE_ENGLISH = 20
# Bytes of UTF-8 a character: about 1 in Latin letters, 1.3 in Vietnamese; 1.8 in Cyrillic, Greek,
# Arabic or Hebrew, 2.7 and more in the scripts of Asia.
_MOST_IN_LATIN = 1.4
_FEWEST_IN_OTHERS = 1.1
_IN_OTHER_SCRIPTS = (
    "am ar be bg bn bo ckb dv dz el fa gu he hi hy iu ja ka km kn ko ky lo mk ml mr my ne or pa ps"
    " ru sa sd si ta te tg th ti ug uk ur yi zh"
)
_NOT_IN_LATIN = frozenset(_IN_OTHER_SCRIPTS.split())
# "en" is what many generators state of pages in every language. English text without these words
# is very short.
_ENGLISH = re.compile(r"\b(?:the|and)\b", re.IGNORECASE)
_ENOUGH_FOR_ENGLISH = 200


def language_of(stated: str, title: str, text: str, default: str) -> str:
    """The primary subtag of a page's language, in lower case.

    ``stated`` is what the page states ("" for nothing). It counts unless it does not fit the
    text's letters, or is English without English words, and the text is clearly in another
    language. ``default`` is the site's, for pages that state nothing and whose text does not tell.
    """
    if stated and _fits(stated, text[:_LOOKED_AT]):
        return stated
    return detected_language(title, text) or stated or default


def detected_language(title: str, text: str) -> str:
    """The language that a page's title and the beginning of its text are in, "" if not clear."""
    is_reliable, size, languages = _detect(f"{title}\n{text[:_LOOKED_AT]}")
    found = [(code, share) for _, code, share, _ in languages if code != "un"]
    if size < _FEWEST_BYTES or not found:
        return ""
    if len(found) > 1 and found[0][0] == "en" and found[1][1] >= _ENOUGH_BESIDE_ENGLISH:
        del found[0]
    code, share = found[0]
    is_most = code != "en" and size >= _ENOUGH_BYTES and share >= _ENOUGH_OF_THEM
    return primary_language(code) if is_reliable or is_most else ""


def _detect(text: str) -> tuple[bool, int, tuple[tuple[str, str, int, float], ...]]:
    try:
        found = pycld2.detect(text, isPlainText=True, bestEffort=True)
    except (pycld2.error, UnicodeError):
        # It takes no control characters, and no halves of surrogate pairs.
        printable = "".join(each if each.isprintable() else " " for each in text)
        found = pycld2.detect(printable, isPlainText=True, bestEffort=True)
    is_reliable, size, languages = found
    return is_reliable, size, languages


def _fits(stated: str, text: str) -> bool:
    """Whether a text may be in the language that is stated; cheap, and quick to say no."""
    if not text:
        return True
    bytes_a_character = 1.0 if text.isascii() else len(text.encode("utf-8", "replace")) / len(text)
    if stated in _NOT_IN_LATIN:
        return bytes_a_character >= _FEWEST_IN_OTHERS
    if stated == "en" and len(text) >= _ENOUGH_FOR_ENGLISH and not _ENGLISH.search(text):
        return False
    return bytes_a_character <= _MOST_IN_LATIN
