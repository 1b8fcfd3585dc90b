"""Whether new blocks wait behind a run that is not to begin, so that somebody is told in time."""

from __future__ import annotations

import logging

from site_indexer.errors import SiteIndexerError
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.script_fetching import fetch_site_script
from site_indexer.indexing.site_access import site_access
from site_indexer.indexing.waiting_blocks import note_new_blocks
from site_indexer.planning.reading import read_script
from site_indexer.planning.selection import Criteria, select_by

logger = logging.getLogger(__name__)


def note_unread_blocks(collaborators: Collaborators, request: RunRequest) -> None:
    """Note whether the script has blocks that are new, for a run that skips them all.

    Raises nothing for a script that cannot be read: then what is known of it stays.
    """
    if request.window is not None:
        return
    try:
        any_new = _has_new_blocks(collaborators, request)
    except SiteIndexerError as error:
        logger.warning("Whether new blocks wait is not known: %s", error)
        return
    note_new_blocks(collaborators.client, request, any_new=any_new)


def _has_new_blocks(collaborators: Collaborators, request: RunRequest) -> bool:
    definition = collaborators.definition(request.site)
    options = definition.script
    held = collaborators.watermarks.get(request.site, request.target)
    criteria = Criteria(
        watermark=held if options.remember_date else None,
        window=None,
        now=request.now,
        future_blocks=options.future_blocks,
        on_error=options.on_error,
    )
    access = site_access(collaborators.connections, definition)
    fetched = fetch_site_script(definition, access, request.now)
    script = read_script(
        fetched.data,
        source=options.url,
        now=request.now,
        hosts=definition.site_hosts,
        criteria=criteria,
        max_bytes=options.max_bytes,
    )
    selection = select_by(script, criteria)
    # Only an error in a new block stops a run.
    return bool(selection.selected) or not selection.processable
