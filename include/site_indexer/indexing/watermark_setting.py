"""Use cases: a person sets a site's watermark, or clears it (docs/spec/06-watermark.md)."""

from __future__ import annotations

import datetime as dt
import logging
from typing import Any

from site_indexer.index_store.names import Target
from site_indexer.index_store.setup import ensure_shared
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import in_words, iso
from site_indexer.indexing.lost_index import note_watermark

logger = logging.getLogger(__name__)


def set_watermark(
    collaborators: Collaborators, site: str, target: Target, value: dt.datetime | None
) -> dict[str, Any]:
    """Set a watermark (aware), or clear it where ``value`` is None: then every block is new.

    Returns ``{"site", "target", "watermark"}`` as they are then.
    """
    site = collaborators.definition(site).id
    before = collaborators.watermarks.get(site, target)
    if value is None:
        collaborators.watermarks.clear(site, target)
    else:
        ensure_shared(collaborators.client)
        note_watermark(collaborators, site, target)
        collaborators.watermarks.set(site, target, value)
    logger.warning(
        "The watermark of %s (%s): %s -> %s", site, target.value, in_words(before), in_words(value)
    )
    return show_watermark(collaborators, site, target)


def show_watermark(collaborators: Collaborators, site: str, target: Target) -> dict[str, Any]:
    """``{"site", "target", "watermark"}``."""
    mark = collaborators.watermarks.get(site, target)
    return {"site": site, "target": target.value, "watermark": iso(mark)}
