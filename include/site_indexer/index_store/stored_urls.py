"""URLs that were stored as an earlier version of this product normalized them."""

from __future__ import annotations

from site_indexer.errors import UrlError
from site_indexer.urls import normalize


def url_of_today(url: str) -> str:
    """Today's normalized form of a stored URL; what is no URL today stays as it is."""
    try:
        return normalize(url)
    except UrlError:
        return url
