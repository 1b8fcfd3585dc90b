"""The asset that stands for a site's live index: other Dags are run when it shows something new.

A task that has an asset as its outlet updates it whenever it is green. Publishing is green, too,
where nothing has changed, so its outlet is an alias, to which the asset is added when it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow.sdk import Asset, AssetAlias, Context

from site_indexer.index_store.names import Target
from site_indexer.indexing.model import RunStatus


def live_asset(site: str) -> Asset:
    """The asset of a site's live index; Dags name it in their ``schedule``."""
    return Asset(f"x-site-indexer://{site}/live")


def live_outlet(site: str) -> AssetAlias:
    """The outlet of tasks that may publish a site's live index."""
    return AssetAlias(f"site-indexer-{site}-live")


def any_live_outlet() -> AssetAlias:
    """The outlet of tasks that change the live index of a site that a person chooses."""
    return AssetAlias("site-indexer-any-live")


def note_published(context: Context, site: str, target: Target, outcome: Mapping[str, Any]) -> None:
    """Update the asset if live has been published, from what publishing came to."""
    if target is not Target.LIVE or outcome["status"] != RunStatus.PUBLISHED:
        return
    _update(
        context,
        live_outlet(site),
        site,
        generation=outcome["generation"],
        documents=outcome["documents_after"],
        run_id=context["dag_run"].run_id,
    )


def note_shown(context: Context, site: str, run_id: str, facts: Mapping[str, Any]) -> None:
    """Update the asset of that one site, as a person has had live show another generation.

    ``facts`` are those of push live or roll back. A try that died after it has updated nothing, so
    one that finds all done does.
    """
    _update(
        context,
        any_live_outlet(),
        site,
        generation=facts["generation"],
        documents=facts["documents"],
        run_id=run_id,
    )


def _update(context: Context, outlet: AssetAlias, site: str, **extra: Any) -> None:  # noqa: ANN401 - JSON
    context["outlet_events"][outlet].add(live_asset(site), extra=extra)
