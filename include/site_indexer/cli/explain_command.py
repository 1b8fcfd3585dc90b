"""``explain``: why a URL is, or is not, in a site's index (docs/spec/08-shell.md, 8.6)."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from site_indexer.cli.connection import collaborators_of
from site_indexer.cli.fact_lines import fact_line
from site_indexer.cli.inputs import clock
from site_indexer.cli.output import Output
from site_indexer.index_script.rendering import printable
from site_indexer.index_store.names import Target
from site_indexer.indexing.explaining import explain as explain_url


def explain(arguments: argparse.Namespace, output: Output) -> int:
    """Say why a URL is, or is not, in a site's index."""
    found = explain_url(
        collaborators_of(arguments),
        arguments.site,
        arguments.url,
        target=Target(arguments.target),
        now=clock(arguments),
    )
    if output.as_json:
        output.document(found)
        return 0
    for line in _lines(found):
        output.text(line)
    return 0


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield printable(found["normalized"])
    yield printable(found["sentence"])
    if found["advice"]:
        yield printable(found["advice"])
    yield ""
    yield fact_line("generation", found["generation"] or "none")
    document = found["document"]
    if document is not None:
        yield fact_line("document", f"{document.get('title') or '(no title)'}")
        yield fact_line("", f"extractor {document.get('extractor_version')}")
    if found["stored_as"]:
        yield fact_line("stored as", found["stored_as"])
    for visit in found["visits"]:
        yield from _visit(visit)
    for removal in found["removals"]:
        what = removal["url"] or removal["mask"]
        yield fact_line("removed by", f"line {removal['line']}, {removal['block_date']}: {what}")
    yield from _script(found["script"])
    if found["robots"] is not None:
        word = {True: "allowed", False: "forbidden", None: "not known"}[found["robots"]["allowed"]]
        yield fact_line("robots.txt", f"{word} ({found['robots']['rule'] or 'no rule forbids it'})")


def _visit(visit: Mapping[str, Any]) -> Iterator[str]:
    status = visit["status"] or "no answer"
    yield fact_line(
        "visit",
        f"{visit['fetched_at']} {status}: {visit['outcome']}, {visit['action']}"
        f" (line {visit['line']}, run {visit['run_id'] or 'not kept'})",
    )
    for reach in visit["judged"]:
        by = f"line {reach['line']} ({reach['cause']})"
        yield fact_line("", f"{by}: {reach['verdict']} by {reach['rule'] or 'no rule'}")
    for words in (visit["error"], *visit["warnings"]):
        if words:
            yield fact_line("", words)


def _script(script: Mapping[str, Any] | None) -> Iterator[str]:
    if script is None:
        return
    if script["error"] is not None:
        yield fact_line("script", script["error"])
        return
    where = "" if script["line"] is None else f" (line {script['line']})"
    yield fact_line("rules", f"{script['decision']}: {script['rule'] or 'no rule matches'}{where}")
    naming = script["named_by"]
    if naming is not None:
        yield fact_line(
            "named by", f"line {naming['line']}, {naming['block_date']}: {naming['command']}"
        )
