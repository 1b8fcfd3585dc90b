"""The error of a mask that cannot be used."""

from __future__ import annotations

from site_indexer.errors import PermanentError


class MaskError(PermanentError):
    """A text that is no usable mask of its kind (docs/spec/02-urls-and-masks.md, *Masks*)."""

    code = "mask"
    exit_status = 2
