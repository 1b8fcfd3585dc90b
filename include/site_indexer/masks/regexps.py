"""Regular expressions of masks: POSIX extended syntax, run by RE2.

RE2 keeps matching time linear in the URL's length, whatever the expression. What POSIX has and RE2
lacks or reads otherwise (word ends, collating symbols) is translated; everything else goes to RE2
as it is (docs/spec/02-urls-and-masks.md, *Masks*).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from site_indexer.masks.expressions import Expression, ExpressionError, quote
from site_indexer.masks.mask_error import MaskError

_LONGEST_SHOWN = 100
_HINT = "Expressions are POSIX extended ones, as RE2 reads them."

# What is one unit to the translation: quoted text, an escape, a word end, a bracket expression
# (in which a first "]" is a member), or any one character.
_UNIT = re.compile(
    r"""(?sx)
    (?P<quoted> \\Q.*?(?:\\E|\Z) )
  | (?P<escape> \\. )
  | (?P<word_end> \[\[:[<>]:\]\] )
  | (?P<bracket> \[\^?\]?(?: \[:\^?\w*:\] | \[\..\.\] | \[=.=\] | \\. | [^\]\\] )*\] )
  | (?P<unclosed> \[.*\Z )
  | (?P<single> . )
    """
)
_COLLATING = re.compile(r"(?s)\[:\^?\w*:\]|\\.|\[(?P<mark>[.=])(?P<member>.)(?P=mark)\]")
_LOOK_AROUND = re.compile(r"invalid perl operator: \(\?<?[=!]")
_BACK_REFERENCE = re.compile(r"invalid escape sequence: \\[1-9gk]|invalid perl operator: \(\?P$")
_INTERVAL = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_REPEATS = frozenset("*+?{")


def to_re2(text: str) -> str:
    """Translate a POSIX extended expression to RE2's syntax; never fails."""
    return "".join(_translated(unit) for unit in _UNIT.finditer(text))


def compile_regexp(text: str) -> tuple[Callable[[str], bool], str]:
    """Return a function that finds the expression anywhere in a URL, and its literal prefix.

    The literal prefix is one that every URL that matches starts with, "" if there is none. Raises
    MaskError for what RE2 does not take, and in plain words for back-references and look-around.
    """
    pattern = to_re2(text)
    try:
        expression = Expression(pattern)
    except ExpressionError as error:
        raise MaskError(_explanation(text, str(error)), hint=_HINT, mask=text) from None
    prefix = expression.prefix_of_matches() if _is_anchored(pattern) else ""
    return expression.found_in, prefix


def required_texts(text: str) -> tuple[str, ...]:
    """Return texts that are in every URL that matches; none where that takes thought.

    They stand outside of groups, and are not optional.
    """
    return tuple(_RequiredTexts(to_re2(text)).found())


class _RequiredTexts:
    """Goes through the units of an expression in RE2's syntax, and gathers what must be there."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._texts: list[str] = []
        self._text = ""
        self._depth = 0
        self._skipped_to = 0

    def found(self) -> list[str]:
        """Return the texts in order; none where a unit says that nothing is sure."""
        for unit in _UNIT.finditer(self._pattern):
            if unit.start() >= self._skipped_to and not self._takes(unit):
                return []
        self._end()
        return self._texts

    def _takes(self, unit: re.Match[str]) -> bool:
        """Take a unit; False if nothing is sure then."""
        if unit.lastgroup == "single":
            return self._takes_single(unit[0], unit.start())
        if unit.lastgroup == "escape":
            return self._takes_escape(unit[0][1])
        self._end()
        return unit.lastgroup in ("word_end", "bracket")

    def _takes_single(self, char: str, place: int) -> bool:
        if char in "()":
            self._end()
            self._depth += 1 if char == "(" else -1
            # Behind (? stand flags, which may change what all that follows means.
            return not self._pattern.startswith("(?", place) or self._pattern[place:][2:3] == ":"
        if self._depth:
            return True
        if char in "*?{":
            self._text = self._text[:-1]
            interval = _INTERVAL.match(self._pattern, place)
            if interval is not None:
                self._skipped_to = interval.end()
            self._end()
            return char != "{" or interval is not None
        if char in "+^$.":
            self._end()
        elif char != "|":
            self._text += char
        return char != "|"

    def _takes_escape(self, char: str) -> bool:
        if self._depth:
            return True
        if not char.isalnum():
            self._text += char
            return True
        self._end()
        # Some, as \x41 and \pL, go on behind the letter.
        return char in "dDsSwWbBAz"

    def _end(self) -> None:
        if self._text:
            self._texts.append(self._text)
        self._text = ""


def _translated(unit: re.Match[str]) -> str:
    if unit.lastgroup == "word_end":
        return r"\b"
    if unit.lastgroup == "bracket":
        return _COLLATING.sub(_member, unit[0])
    return unit[0]


def _member(match: re.Match[str]) -> str:
    """Write ``[.x.]`` and ``[=x=]`` inside brackets as the one character that they stand for."""
    return match[0] if match["mark"] is None else quote(match["member"])


def _is_anchored(pattern: str) -> bool:
    """Whether a match surely begins at the URL's start; says no where that takes thought."""
    if not pattern.startswith("^") or pattern[1:2] in _REPEATS:
        return False
    return "|" not in _outside_groups(pattern)


def _outside_groups(pattern: str) -> Iterator[str]:
    depth = 0
    for unit in _UNIT.finditer(pattern):
        if unit.lastgroup != "single":
            continue
        depth += {"(": 1, ")": -1}.get(unit[0], 0)
        if depth == 0:
            yield unit[0]


def _explanation(text: str, reason: str) -> str:
    named = (
        f"The regular expression `{text[:_LONGEST_SHOWN]}{'...' * (len(text) > _LONGEST_SHOWN)}`"
    )
    if _LOOK_AROUND.match(reason):
        return f"{named} looks around, which is not supported ({reason})."
    if _BACK_REFERENCE.match(reason):
        return f"{named} has a back-reference, which is not supported ({reason})."
    return f"{named} cannot be read: {reason}."
