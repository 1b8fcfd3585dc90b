"""``plan``: what a run would do with a script (docs/spec/08-shell.md, 8.5)."""

from __future__ import annotations

import argparse

from site_indexer.cli.inputs import clock, read_input, site_of
from site_indexer.cli.output import Output
from site_indexer.errors import UsageError
from site_indexer.index_script.model import Severity
from site_indexer.index_script.rendering import render_diagnostic
from site_indexer.indexing.site_view import view_of
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import Window
from site_indexer.planning.reading import read_script
from site_indexer.planning.selection import Criteria, select_by
from site_indexer.planning.serialization import plan_as_json, plan_table


def plan(arguments: argparse.Namespace, output: Output) -> int:
    """Show what a run would do with a script; 1 if a new block has errors."""
    now = clock(arguments)
    definition = site_of(arguments)
    data, source = read_input(arguments.file, now)
    criteria = Criteria(
        watermark=arguments.watermark,
        window=window_of(arguments),
        now=now,
        future_blocks=definition.script.future_blocks if definition else "process",
        on_error=definition.script.on_error if definition else "stop",
    )
    hosts = definition.site_hosts if definition else None
    script = read_script(data, source=source, now=now, hosts=hosts, criteria=criteria)
    selection = select_by(script, criteria)
    made = make_plan(selection, view_of(definition) if definition else None, now=now)
    failed = any(found.severity is Severity.ERROR for found in made.diagnostics)
    if output.as_json:
        output.document(plan_as_json(made))
        return int(failed)
    for found in made.diagnostics:
        output.text(render_diagnostic(found, source, colour=output.colour))
    output.text(plan_table(made))
    return int(failed)


def window_of(arguments: argparse.Namespace) -> Window | None:
    """The window of ``--from`` and ``--to``; both or neither."""
    if arguments.from_ is None and arguments.to is None:
        return None
    if arguments.from_ is None or arguments.to is None:
        raise UsageError("a window needs both ends.", hint="Give --from and --to.")
    if arguments.from_ >= arguments.to:
        raise UsageError("a window ends after it begins.", hint="--from must be before --to.")
    return Window(from_=arguments.from_, to=arguments.to)
