"""What every index and alias is called (docs/spec/05-index-lifecycle.md, *Names*)."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from enum import StrEnum

from site_indexer.errors import ConfigurationError
from site_indexer.sites import ids as site_ids

STATE_INDEX = "site-indexer.state"
URLS_INDEX = "site-indexer.urls"
LOG_INDEX = "site-indexer.log"

_STAMP = r"\d{8}t\d{6}z"
_DIGEST = r"[0-9a-f]{8,64}"


class Target(StrEnum):
    """What a run publishes to."""

    LIVE = "live"
    STAGED = "staged"


def check_site_id(site: str) -> str:
    """Return ``site`` if it can be a site's id; raises ConfigurationError that says why not.

    Rule: docs/spec/05-index-lifecycle.md, *Names* (the same as docs/spec/07-site-definition.md).
    """
    try:
        if site.isascii() and not site.isspace() and site == site.strip():
            return site_ids.check_site_id(site)
    except ValueError as error:
        raise ConfigurationError(f"{error}.", site=site) from None
    raise ConfigurationError(
        f"{site!r} is no site id; expected lower-case letters, digits and hyphens.", site=site
    )


@dataclass(frozen=True, slots=True)
class SiteNames:
    """The names that belong to one site. Making one raises ConfigurationError for a bad id.

    A site id has no dot, so a name of one site never fits another.
    """

    site: str

    def __post_init__(self) -> None:
        check_site_id(self.site)

    def alias(self, target: Target) -> str:
        """The alias that searchers use."""
        return f"{self.site}.{target.value}"

    @property
    def none_index(self) -> str:
        """The empty index that stands in while there is no staged index; never pruned."""
        return f"{self.site}.none"

    @property
    def none_alias(self) -> str:
        """The alias on :attr:`none_index` while there is no staged index."""
        return f"{self.site}.staged-none"

    def generation(self, at: dt.datetime) -> str:
        """The name of a generation made at that second. ``at`` is aware."""
        return f"{self.site}.g-{at.astimezone(dt.UTC):%Y%m%dt%H%M%Sz}"

    def is_generation(self, name: str) -> bool:
        """Whether the whole name is that of a generation of this site."""
        return re.fullmatch(rf"{re.escape(self.site)}\.g-{_STAMP}", name) is not None

    def draft(self, at: dt.datetime) -> str:
        """The name of a draft made at that second. ``at`` is aware."""
        return f"{self.site}.draft-{at.astimezone(dt.UTC):%Y%m%dt%H%M%Sz}"

    @property
    def all_drafts(self) -> str:
        """A pattern that all drafts of this site fit; what it finds is still to be checked."""
        return f"{self.site}.draft-*"

    def is_draft(self, name: str) -> bool:
        """Whether the whole name is that of a draft of this site."""
        return re.fullmatch(rf"{re.escape(self.site)}\.draft-{_STAMP}", name) is not None

    def changes(self, digest: str) -> str:
        """The name of the change set of the plan with this digest (8 to 64 hex digits)."""
        name = f"{self.site}.changes-{digest}"
        if not self.is_changes(name):
            raise ValueError(f"not the digest of a plan: {digest!r}")
        return name

    @property
    def all_changes(self) -> str:
        """A pattern that all change sets of this site fit; what it finds is still to be checked."""
        return f"{self.site}.changes-*"

    def digest_of(self, changes: str) -> str:
        """The digest in the name of a change set of this site."""
        return changes.removeprefix(f"{self.site}.changes-")

    def is_changes(self, name: str) -> bool:
        """Whether the whole name is that of a change set of this site."""
        return re.fullmatch(rf"{re.escape(self.site)}\.changes-{_DIGEST}", name) is not None
