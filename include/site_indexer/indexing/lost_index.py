"""A watermark that outlived its index: OpenSearch has lost its data, and Airflow has not.

A run would then find nothing new for ever, or index only what is newer than the date. So it ends
with an error (docs/spec/06-watermark.md, 6.5).
"""

from __future__ import annotations

import datetime as dt

from site_indexer.errors import LostIndexError
from site_indexer.index_store.generations import all_generations, describe
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.state import StateStore
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import in_words
from site_indexer.indexing.model import RunRequest


def refuse_lost_index(
    collaborators: Collaborators, request: RunRequest, held: dt.datetime | None
) -> None:
    """Raise LostIndexError where nothing in OpenSearch knows of the watermark that is ``held``.

    Asked only of watermarks that are kept elsewhere, and of runs that go by them.
    """
    if held is None or not collaborators.watermarks.outlives_index:
        return
    if _is_known(collaborators, request):
        return
    site = request.site
    place = collaborators.watermarks.place(site, request.target)
    raise LostIndexError(
        f"The watermark of {site} is {in_words(held)} ({place}), but OpenSearch has no index of"
        f" {site} that any run has published: its data is lost, or another OpenSearch was meant."
        " This run would leave out everything older; nothing was changed.",
        hint="To index all of it anew, trigger the Dag with 'Clear date', or delete the Variable."
        " To begin at that date on purpose, set it by the Dag site_indexer_watermark.",
        site=site,
    )


def note_watermark(collaborators: Collaborators, site: str, target: Target) -> None:
    """Remember in OpenSearch that the target has a watermark although no run has published."""
    store, key = StateStore(collaborators.client), _key(site, target)
    source = {"kind": "watermark-known", "site": site, "target": target.value}
    # If two do it at once either may win: they write the same.
    store.replace(key, source, store.read(key), refresh=False)


def _is_known(collaborators: Collaborators, request: RunRequest) -> bool:
    client, names = collaborators.client, SiteNames(request.site)
    shown = describe(client, names, names.alias(Target.LIVE))
    if shown is not None and shown.run_id is not None:
        return True
    if StateStore(client).read(_key(request.site, request.target)) is not None:
        return True
    return any(each.run_id is not None for each in all_generations(client, names))


def _key(site: str, target: Target) -> str:
    return f"watermark-known:{site}:{target.value}"
