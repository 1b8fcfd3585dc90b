"""``lint``: every finding of a script (docs/spec/08-shell.md, 8.5)."""

from __future__ import annotations

import argparse

from site_indexer.cli.inputs import clock, read_input
from site_indexer.cli.output import Output
from site_indexer.index_script.counting import counted
from site_indexer.index_script.model import Severity
from site_indexer.index_script.rendering import render_diagnostic, script_as_json
from site_indexer.planning.reading import read_script


def lint(arguments: argparse.Namespace, output: Output) -> int:
    """Check a script; 1 if it has errors."""
    now = clock(arguments)
    data, source = read_input(arguments.file, now)
    script = read_script(data, source=source, now=now)
    errors = sum(found.severity is Severity.ERROR for found in script.diagnostics)
    if output.as_json:
        output.document(script_as_json(script))
        return int(errors > 0)
    for found in script.diagnostics:
        output.text(render_diagnostic(found, source, colour=output.colour))
    commands = sum(len(block.commands) for block in script.blocks)
    warnings = len(script.diagnostics) - errors
    blocks = sum(block.has_date_line for block in script.blocks)
    counts = {"block": blocks, "command": commands, "error": errors, "warning": warnings}
    words = (counted(count, noun) for noun, count in counts.items())
    output.text(f"{source}: {', '.join(words)}")
    return int(errors > 0)
