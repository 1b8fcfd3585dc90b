"""URLs: their one normalized form, document ids, and which of them belong to a site."""

from site_indexer.urls.kinds import MaskKind
from site_indexer.urls.normalization import document_id, host_of, normalize, normalizer_on
from site_indexer.urls.prefixes import normalize_prefix
from site_indexer.urls.site_hosts import SiteHosts

__all__ = [
    "MaskKind",
    "SiteHosts",
    "document_id",
    "host_of",
    "normalize",
    "normalize_prefix",
    "normalizer_on",
]
