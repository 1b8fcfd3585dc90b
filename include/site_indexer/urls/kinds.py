"""The kinds of URL masks, shared by the script language and the masks themselves."""

from __future__ import annotations

from enum import StrEnum


class MaskKind(StrEnum):
    """How a mask is compared with a URL (docs/spec/02-urls-and-masks.md, *Masks*)."""

    PREFIX = "prefix"
    WILDCARD = "wildcard"
    REGEXP = "regexp"
