"""RE2, with types: compiled expressions, and sets of them searched in one pass.

The only module that imports RE2. Matching time is linear in the text, whatever the expression.
"""

from __future__ import annotations

from collections.abc import Sequence

import re2  # type: ignore[import-untyped]  # the package has no stubs

_LONGEST_PREFIX = 2048
_MEBIBYTE = 1 << 20


class ExpressionError(ValueError):
    """RE2 does not take an expression; the text is RE2's reason."""


class ExpressionSet:
    """Few expressions searched for together.

    RE2's sets answer "nothing found" where they run out of memory; a member that is in every text
    tells that case from the other.
    """

    __slots__ = ("_set",)

    def __init__(self, patterns: Sequence[str], *, max_mebibytes: int = 8) -> None:
        """Compile the set; raises ExpressionError where one is invalid or all take too much."""
        options = _options()
        options.max_mem = max_mebibytes * _MEBIBYTE
        self._set = re2.Set.SearchSet(options)
        try:
            self._set.Add("")
            for pattern in patterns:
                self._set.Add(pattern)
            self._set.Compile()
        except (re2.error, UnicodeEncodeError) as error:
            raise ExpressionError(_reason(error)) from None

    def matching(self, text: str) -> list[int] | None:
        """Return the positions of the patterns found in the text, None if out of memory."""
        members = self._set.Match(text)
        return None if members is None else [member - 1 for member in members if member]


class ExpressionFilter:
    """Expressions searched for together, by the literal texts that each of them needs.

    One pass finds which of these texts there are, and only expressions that have all of theirs are
    run. A set's automaton, in comparison, knows all combinations of half-matched expressions, and
    with hundreds of wildcards these are too many to be remembered.
    """

    __slots__ = ("_filter", "_labels")

    # A member that every URL has tells "nothing found" from a pass that ran out of memory.
    _ALWAYS_THERE = "http"

    def __init__(self, patterns: Sequence[str], labels: Sequence[int]) -> None:
        """Compile them; raises ExpressionError where one is invalid or all take too much.

        ``labels`` are what :meth:`matching` calls them, in their order.
        """
        options = _options()
        self._labels = (-1, *labels)
        self._filter = re2.Filter()
        try:
            self._filter.Add(self._ALWAYS_THERE, options)
            for pattern in patterns:
                self._filter.Add(pattern, options)
            self._filter.Compile()
        except (re2.error, UnicodeEncodeError) as error:
            raise ExpressionError(_reason(error)) from None

    def matching(self, text: str) -> list[int] | None:
        """Return the labels of the patterns found in a URL, in order.

        None where that cannot be said: out of memory, or no URL.
        """
        members = self._filter.Match(text)
        if not members or members[0] != 0:
            return None
        if len(members) == 1:
            return []
        labels = self._labels
        return [labels[member] for member in members[1:]]


class TextSet:
    """Texts looked for together."""

    __slots__ = ("_set",)

    def __init__(self, texts: Sequence[str]) -> None:
        """Take them; raises ExpressionError where they take too much."""
        options = _options()
        options.literal = True
        self._set = re2.Set.SearchSet(options)
        try:
            self._set.Add("")  # is in every text, which tells "nothing" from "out of memory"
            for text in texts:
                self._set.Add(text)
            self._set.Compile()
        except (re2.error, UnicodeEncodeError) as error:
            raise ExpressionError(_reason(error)) from None

    def found_in(self, text: str) -> list[int] | None:
        """Return which of the texts are in it, counted from 1; 0 is always among them.

        None if out of memory.
        """
        found: list[int] | None = self._set.Match(text)
        return found


class Expression:
    """One expression."""

    __slots__ = ("_expression", "_set")

    def __init__(self, pattern: str) -> None:
        """Compile it; raises ExpressionError with RE2's reason."""
        try:
            self._expression = re2.compile(pattern, _options())
        except (re2.error, UnicodeEncodeError) as error:
            raise ExpressionError(_reason(error)) from None
        self._set = self._as_set(pattern)

    def found_in(self, text: str) -> bool:
        """Whether the expression matches anywhere in the text."""
        # A set of one answers in a tenth of the time that the wrapper's own search takes.
        members = None if self._set is None else self._set.matching(text)
        return bool(self._expression.search(text)) if members is None else bool(members)

    def prefix_of_matches(self) -> str:
        """Return a text that every match starts with, "" if none is known."""
        try:
            lowest, highest = self._expression.possiblematchrange(_LONGEST_PREFIX)
        except re2.error:
            return ""
        # What lies between two texts in byte order starts with what both start with.
        return _common_prefix(lowest, highest).decode("utf-8", "ignore")

    @staticmethod
    def _as_set(pattern: str) -> ExpressionSet | None:
        try:
            return ExpressionSet([pattern])
        except ExpressionError:
            return None


def quote(text: str) -> str:
    """Return an expression that matches exactly the text."""
    return str(re2.escape(text))


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    return options


def _common_prefix(one: bytes, other: bytes) -> bytes:
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return one[:place]
    return min(one, other, key=len)


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "it has characters that are no text"
    reason = error.args[0] if error.args else ""
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
