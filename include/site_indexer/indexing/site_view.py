"""A site as planning sees it: hosts, entry points, own rules, time zone."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from site_indexer.index_script.model import Command
from site_indexer.urls import SiteHosts

if TYPE_CHECKING:  # a definition costs a shell command that has none more than all its own work
    from site_indexer.sites.definition import SiteDefinition


@dataclass(frozen=True, slots=True)
class DefinedSite:
    """What planning asks of a site definition, worked out once."""

    id: str
    hosts: SiteHosts
    entry_points: tuple[str, ...]
    masks: tuple[Command, ...]
    zone: dt.tzinfo


def view_of(definition: SiteDefinition) -> DefinedSite:
    """The planning view of a definition."""
    return DefinedSite(
        id=definition.id,
        hosts=definition.site_hosts,
        entry_points=definition.entry_points,
        masks=definition.rules,
        zone=definition.zone,
    )
