"""``lint``, ``plan``, ``normalize``: what needs no OpenSearch."""

from __future__ import annotations

import argparse
import sys

from site_indexer.cli.inputs import clock, read_input
from site_indexer.cli.output import Output
from site_indexer.errors import UrlError, UsageError
from site_indexer.index_script.model import Severity
from site_indexer.index_script.rendering import render_diagnostic, script_as_json
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.site_view import view_of
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import Window
from site_indexer.planning.reading import read_script
from site_indexer.planning.selection import select
from site_indexer.planning.serialization import plan_as_json, plan_table
from site_indexer.sites.loader import load_site
from site_indexer.urls import document_id, normalize


def lint(arguments: argparse.Namespace, output: Output) -> int:
    """Check a script; 1 if it has errors."""
    now = clock(arguments)
    data, source = read_input(arguments.file, now)
    script = read_script(data, source=source, now=now)
    errors = sum(found.severity is Severity.ERROR for found in script.diagnostics)
    if output.as_json:
        output.document(script_as_json(script))
        return int(errors > 0)
    colour = sys.stdout.isatty()
    for found in script.diagnostics:
        output.text(render_diagnostic(found, source, colour=colour))
    commands = sum(len(block.commands) for block in script.blocks)
    warnings = len(script.diagnostics) - errors
    output.text(
        f"{source}: {len(script.blocks)} blocks, {commands} commands, "
        f"{errors} errors, {warnings} warnings"
    )
    return int(errors > 0)


def plan(arguments: argparse.Namespace, output: Output) -> int:
    """Show what a run would do with a script; 1 if a new block has errors."""
    now = clock(arguments)
    definition = None
    if arguments.site is not None:
        settings = Settings.from_environment(sites_dir=arguments.sites)
        definition = load_site(settings.sites_dir / f"{arguments.site}.yaml")
    data, source = read_input(arguments.file, now)
    selection = select(
        read_script(
            data, source=source, now=now, hosts=definition.site_hosts if definition else None
        ),
        watermark=arguments.watermark,
        window=window_of(arguments),
        now=now,
        future_blocks=definition.script.future_blocks if definition else "process",
        on_error=definition.script.on_error if definition else "stop",
    )
    made = make_plan(selection, view_of(definition) if definition else None, now=now)
    failed = any(found.severity is Severity.ERROR for found in made.diagnostics)
    if output.as_json:
        output.document(plan_as_json(made))
        return int(failed)
    colour = sys.stdout.isatty()
    for found in made.diagnostics:
        output.text(render_diagnostic(found, source, colour=colour))
    output.text(plan_table(made))
    return int(failed)


def normalize_urls(arguments: argparse.Namespace, output: Output) -> int:
    """Show each URL as it is stored, with its document id; 1 if one is no URL."""
    results: list[dict[str, str | None]] = []
    for url in arguments.urls:
        try:
            normalized = normalize(url)
        except UrlError as error:
            results.append(
                {"url": url, "normalized": None, "document_id": None, "error": error.message}
            )
        else:
            identity = document_id(normalized)
            results.append(
                {"url": url, "normalized": normalized, "document_id": identity, "error": None}
            )
    if output.as_json:
        output.document(results)
    else:
        for result in results:
            output.text(
                f"{result['document_id']}  {result['normalized']}"
                if result["error"] is None
                else f"error: {result['url']}: {result['error']}"
            )
    return int(any(result["error"] for result in results))


def window_of(arguments: argparse.Namespace) -> Window | None:
    """The window of ``--from`` and ``--to``; both or neither."""
    if arguments.from_ is None and arguments.to is None:
        return None
    if arguments.from_ is None or arguments.to is None:
        raise UsageError("a window needs both ends.", hint="Give --from and --to.")
    if arguments.from_ >= arguments.to:
        raise UsageError("a window ends after it begins.", hint="--from must be before --to.")
    return Window(from_=arguments.from_, to=arguments.to)
