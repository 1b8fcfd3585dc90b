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
    if _LOOK_AROUND.match(reason):
        return f"The regular expression {text!r} looks around, which is not supported ({reason})."
    if _BACK_REFERENCE.match(reason):
        return (
            f"The regular expression {text!r} has a back-reference, "
            f"which is not supported ({reason})."
        )
    return f"The regular expression {text!r} cannot be read: {reason}."
