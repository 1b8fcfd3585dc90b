"""How texts become words: an analyzer for each language (docs/spec/05-index-lifecycle.md, 5.3).

Each is OpenSearch's own analyzer of that language, but for two things. No word is left out: a
query needs all its words, and asks all languages, some of which may know a word that others leave
out. And accents are folded in the end, as people leave them out when they search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GENERAL = "general"
"""What serves all other languages: words by Unicode's rules, Chinese, Japanese and Korean in pairs
of characters, case and accents folded."""

_CASES = "lowercase"
_INDIC = ("decimal_digit", "indic_normalization")

# Filters before the stemmer, and the stemmer; each as OpenSearch's analyzer of the language has it.
_STEMMED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "ar": ((_CASES, "decimal_digit", "arabic_normalization"), "arabic"),
    "bg": ((_CASES,), "bulgarian"),
    "bn": ((_CASES, *_INDIC, "bengali_normalization"), "bengali"),
    "ca": (("elision_ca", _CASES), "catalan"),
    "ckb": (("sorani_normalization", _CASES, "decimal_digit"), "sorani"),
    "cs": ((_CASES,), "czech"),
    "da": ((_CASES,), "danish"),
    "de": ((_CASES, "german_normalization"), "light_german"),
    "el": (("lowercase_el",), "greek"),
    "en": (("possessive_en", _CASES), "english"),
    "es": ((_CASES,), "light_spanish"),
    "et": ((_CASES,), "estonian"),
    "eu": ((_CASES,), "basque"),
    "fi": ((_CASES,), "finnish"),
    "fr": (("elision_fr", _CASES), "light_french"),
    "ga": (("elision_ga", "lowercase_ga"), "irish"),
    "gl": ((_CASES,), "galician"),
    "hi": ((_CASES, *_INDIC, "hindi_normalization"), "hindi"),
    "hu": ((_CASES,), "hungarian"),
    "hy": ((_CASES,), "armenian"),
    "id": ((_CASES,), "indonesian"),
    "it": (("elision_it", _CASES), "light_italian"),
    "lt": ((_CASES,), "lithuanian"),
    "lv": ((_CASES,), "latvian"),
    "nl": ((_CASES,), "dutch"),
    "no": ((_CASES,), "norwegian"),
    "pt": ((_CASES,), "light_portuguese"),
    "ro": ((_CASES,), "romanian"),
    "ru": ((_CASES,), "russian"),
    "sv": ((_CASES,), "swedish"),
    "tr": (("apostrophe", "lowercase_tr"), "turkish"),
}
_ARTICLES = {
    "ca": "d l m n s t",
    "fr": "l m t qu n s j d c jusqu quoiqu lorsqu puisqu",
    "ga": "d m b",
    "it": "c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d",
}
_LOWERCASE = {"el": "greek", "ga": "irish", "tr": "turkish"}
_OTHER_NAMES = {"nb": "no", "nn": "no", "zh": "cjk", "ja": "cjk", "ko": "cjk", "ms": "id"}

LANGUAGE_ANALYZERS = (*_STEMMED, "cjk", "fa", "th")
"""The analyzers beside the general one, by the names that fields have for them."""


def analyzer_of(language: str | None) -> str:
    """The name of the analyzer for the texts of a document in a language."""
    name = _OTHER_NAMES.get(language or "", language or "")
    return name if name in LANGUAGE_ANALYZERS else GENERAL


def analysis_settings() -> dict[str, Any]:
    """The part ``index.analysis`` of a generation's settings."""
    return {
        "char_filter": {"spaces_fa": {"type": "mapping", "mappings": ["\\u200C=>\\u0020"]}},
        "filter": {
            "possessive_en": {"type": "stemmer", "language": "possessive_english"},
            **{
                f"elision_{name}": {
                    "type": "elision",
                    "articles": articles.split(),
                    "articles_case": True,
                }
                for name, articles in _ARTICLES.items()
            },
            **{
                f"lowercase_{name}": {"type": "lowercase", "language": language}
                for name, language in _LOWERCASE.items()
            },
            **{
                f"stem_{name}": {"type": "stemmer", "language": stemmer}
                for name, (_, stemmer) in _STEMMED.items()
            },
        },
        "analyzer": {
            **{name: _chain(*before, f"stem_{name}") for name, (before, _) in _STEMMED.items()},
            "fa": _chain(
                _CASES,
                "decimal_digit",
                "arabic_normalization",
                "persian_normalization",
                char_filter=["spaces_fa"],
            ),
            "th": _chain(_CASES, "decimal_digit", tokenizer="thai"),
            **dict.fromkeys(("cjk", GENERAL), _chain("cjk_width", _CASES, "cjk_bigram")),
        },
    }


def _chain(*filters: str, tokenizer: str = "standard", **others: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "type": "custom",
        "tokenizer": tokenizer,
        "filter": [*filters, "asciifolding"],
        **others,
    }
