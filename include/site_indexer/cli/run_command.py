"""``run``: a site's script, whole."""

from __future__ import annotations

import argparse
from dataclasses import replace

from site_indexer.cli.connection import collaborators_of
from site_indexer.cli.inputs import clock
from site_indexer.cli.output import Output
from site_indexer.cli.plan_command import window_of
from site_indexer.cli.progress_bar import progress_bar
from site_indexer.index_store.names import Target
from site_indexer.indexing.model import RunRequest, RunResult, RunStatus
from site_indexer.indexing.run import Removals, refuse_airflow_site, run
from site_indexer.indexing.run_identity import new_shell_run_id


def run_site(arguments: argparse.Namespace, output: Output) -> int:
    """Run the script of a site and print what came of it."""
    now = clock(arguments)
    target = Target(arguments.target)
    collaborators = collaborators_of(arguments)
    if not (arguments.standalone or arguments.dry_run):
        refuse_airflow_site(collaborators, arguments.site, target)
    request = RunRequest(
        site=arguments.site,
        target=target,
        run_id=new_shell_run_id(),
        now=now,
        clear_date=arguments.clear_date,
        dry_run=arguments.dry_run,
        window=window_of(arguments),
    )
    with progress_bar(f"Crawling {arguments.site}") as progress:
        removals = Removals(arguments.removals)
        result = run(replace(collaborators, progress=progress), request, removals)
    if output.as_json:
        output.document(result.as_dict())
    else:
        _print(result, output)
    found_errors = any(found["severity"] == "error" for found in result.diagnostics)
    return int(found_errors or result.status in {RunStatus.FAILED, RunStatus.WAITING_FOR_APPROVAL})


def _print(result: RunResult, output: Output) -> None:
    output.text(f"{result.status}: {result.alias} -> {result.generation or 'as it was'}")
    for found in result.diagnostics:
        place = f"line {found['line']}: " if "line" in found else ""
        output.text(f"{found['severity']}: {place}{found['message']}")
        if found.get("hint"):
            output.text(f"  {found['hint']}")
    output.text(f"watermark: {result.watermark_before or 'none'} -> {result.watermark_after}")
    for name, count in result.counts.items():
        output.text(f"{count:>9,} {name.replace('_', ' ')}")
    output.text(f"{result.seconds:.1f} s, run {result.run_id}")
