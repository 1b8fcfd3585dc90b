"""URL masks and ordered rule lists: the first rule that matches decides, and says why."""

from site_indexer.masks.coverage import cover_samples, covers, disjoint
from site_indexer.masks.mask import Mask, check_mask, compile_mask
from site_indexer.masks.mask_error import MaskError
from site_indexer.masks.model import (
    DocumentDates,
    Judgement,
    Outcome,
    Rule,
    RuleAction,
    RuleOrigin,
    UrlMask,
)
from site_indexer.masks.rule_list import RuleList

__all__ = [
    "DocumentDates",
    "Judgement",
    "Mask",
    "MaskError",
    "Outcome",
    "Rule",
    "RuleAction",
    "RuleList",
    "RuleOrigin",
    "UrlMask",
    "check_mask",
    "compile_mask",
    "cover_samples",
    "covers",
    "disjoint",
]
