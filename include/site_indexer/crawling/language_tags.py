"""Language tags (BCP 47) as pages state them."""

from __future__ import annotations


def primary_language(tag: str | None) -> str:
    """The primary subtag of a language tag in lower case (BCP 47), "" for none or for several."""
    primary = (tag or "").strip().replace("_", "-").partition("-")[0].lower()
    return primary if primary.isalpha() and 2 <= len(primary) <= 8 else ""
