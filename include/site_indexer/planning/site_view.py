"""What planning asks of a site (a port: site definitions are wired to it by the use cases)."""

from __future__ import annotations

import datetime as dt
from typing import Protocol

from site_indexer.index_script.model import Command
from site_indexer.urls import SiteHosts


class SiteView(Protocol):
    """A site as planning sees it.

    ``entry_points`` are normalized URLs. ``masks`` are the site's own include and exclude lines as
    commands, whose ``line`` counts within the site file's list. ``zone`` is that of its days.
    """

    @property
    def id(self) -> str:
        """The site's id."""
        ...

    @property
    def hosts(self) -> SiteHosts:
        """The hosts that belong to the site."""
        ...

    @property
    def entry_points(self) -> tuple[str, ...]:
        """Where a crawl of the whole site starts."""
        ...

    @property
    def masks(self) -> tuple[Command, ...]:
        """The site's own rules, asked after a block's own."""
        ...

    @property
    def zone(self) -> dt.tzinfo:
        """The time zone in which the site's days are counted."""
        ...
