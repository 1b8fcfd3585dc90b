"""The index script language: bytes in, dated blocks and diagnostics out."""

from site_indexer.index_script.codes import Code
from site_indexer.index_script.commands import MaskChecker
from site_indexer.index_script.lines import DEFAULT_MAX_BYTES
from site_indexer.index_script.model import (
    Action,
    Block,
    Command,
    DateForm,
    Diagnostic,
    IndexScript,
    Severity,
)
from site_indexer.index_script.parser import Keep, parse

__all__ = [
    "DEFAULT_MAX_BYTES",
    "Action",
    "Block",
    "Code",
    "Command",
    "DateForm",
    "Diagnostic",
    "IndexScript",
    "Keep",
    "MaskChecker",
    "Severity",
    "parse",
]
