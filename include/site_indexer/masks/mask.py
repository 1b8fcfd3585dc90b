"""One mask: a text and its kind, compiled to a test of normalized URLs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from site_indexer.errors import UrlError
from site_indexer.masks import regexps, wildcards
from site_indexer.masks.mask_error import MaskError
from site_indexer.urls.kinds import MaskKind
from site_indexer.urls.prefixes import normalize_prefix

LONGEST = {MaskKind.PREFIX: 8_192, MaskKind.WILDCARD: 8_192, MaskKind.REGEXP: 4_096}
"""How many characters a mask may have. No URL in use is longer; RE2 reads in quadratic time."""


class _Compiled(NamedTuple):
    test: Callable[[str], bool]
    literal_prefix: str
    expressions: tuple[str, ...] = ()
    readings: tuple[wildcards.Reading, ...] = ()
    required: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Mask:
    """A mask as written, without the word ``regexp``; two of the same text and kind are equal.

    Making one raises MaskError where the text is no mask of that kind. Rules:
    docs/spec/02-urls-and-masks.md, *Masks*.
    """

    text: str
    kind: MaskKind
    _compiled: _Compiled = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST[self.kind]:
            raise MaskError(
                f"A mask of this kind has at most {LONGEST[self.kind]:,} characters,"
                f" and this one {len(self.text):,}.",
                hint="Write several shorter ones, each in a line of its own.",
                mask=self.text[:200],
            )
        if not self.text.isascii() and not _is_text(self.text):
            raise MaskError(
                f"The mask {self.text!r} has characters that are no text.",
                hint="Write such characters as %XX.",
                mask=ascii(self.text),
            )
        object.__setattr__(self, "_compiled", _COMPILERS[self.kind](self.text))

    @property
    def literal_prefix(self) -> str:
        """The longest known text that every URL that matches starts with, "" if none is known."""
        return self._compiled.literal_prefix

    @property
    def expressions(self) -> tuple[str, ...]:
        """RE2 expressions; a URL matches where one of them is found in it. A prefix has none."""
        return self._compiled.expressions

    @property
    def readings(self) -> tuple[wildcards.Reading, ...]:
        """The normalized parts around the stars of a wildcard, once for each way to read it."""
        return self._compiled.readings

    @property
    def required(self) -> tuple[tuple[str, ...], ...]:
        """Texts that are in every URL that one of :attr:`expressions` finds, for each of these."""
        return self._compiled.required

    @property
    def test(self) -> Callable[[str], bool]:
        """What :meth:`matches` asks, for those who ask very often."""
        return self._compiled.test

    def matches(self, url: str) -> bool:
        """Whether the mask matches a normalized URL."""
        return self._compiled.test(url)


def _is_text(text: str) -> bool:
    """Whether it has no lone surrogates, which are half a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def compile_mask(text: str, kind: MaskKind) -> Mask:
    """Return the mask; raises MaskError where the text is no mask of that kind."""
    return Mask(text, kind)


def check_mask(kind: MaskKind, text: str) -> str | None:
    """Return what is wrong with a mask as one or two sentences, or None where it can be used."""
    try:
        Mask(text, kind)
    except MaskError as error:
        return str(error)
    return None


def _compile_prefix(text: str) -> _Compiled:
    try:
        prefix = normalize_prefix(text)
    except UrlError as error:
        no_scheme = "mask" in error.context
        message = error.message if no_scheme else f"{text!r} cannot be read as the start of a URL."
        raise MaskError(message, hint=error.hint, mask=text) from None

    def test(url: str) -> bool:
        return url.startswith(prefix)

    return _Compiled(test, prefix)


def _compile_wildcard(text: str) -> _Compiled:
    readings = wildcards.readings(text)
    tests = [wildcards.compile_reading(reading) for reading in readings]
    test = tests[0] if len(tests) == 1 else lambda url: any(test(url) for test in tests)
    expressions = tuple(map(wildcards.as_re2, readings))
    return _Compiled(test, readings[0][0], expressions, readings, readings)


def _compile_regexp(text: str) -> _Compiled:
    test, prefix = regexps.compile_regexp(text)
    required = (regexps.required_texts(text),)
    return _Compiled(test, prefix, (regexps.to_re2(text),), required=required)


_COMPILERS: dict[MaskKind, Callable[[str], _Compiled]] = {
    MaskKind.PREFIX: _compile_prefix,
    MaskKind.WILDCARD: _compile_wildcard,
    MaskKind.REGEXP: _compile_regexp,
}
