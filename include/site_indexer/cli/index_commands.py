"""``search``, ``documents``, ``generations``, ``watermark``."""

from __future__ import annotations

import argparse
import datetime as dt

from site_indexer.cli.connection import collaborators_of
from site_indexer.cli.operation_logging import logged
from site_indexer.cli.output import Output
from site_indexer.errors import UsageError
from site_indexer.index_store.names import Target
from site_indexer.indexing import inspection, retrying
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import iso
from site_indexer.indexing.operation_log import OperationKind
from site_indexer.indexing.run import refuse_airflow_site
from site_indexer.indexing.watermark_setting import set_watermark, show_watermark


def search(arguments: argparse.Namespace, output: Output) -> int:
    """Search a site's index."""
    found = inspection.search(
        collaborators_of(arguments),
        arguments.site,
        arguments.query,
        target=Target(arguments.target),
        size=arguments.size,
    )
    if output.as_json:
        output.document(found)
        return 0
    output.text(f"{found['total']} documents match {arguments.query!r}")
    for hit in found["hits"]:
        output.text(f"{hit['score']:8.3f}  {hit['title']}\n          {hit['url']}")
        for fragment in (hit["highlights"].get("text") or ())[:1]:
            output.text(f"          ... {' '.join(fragment.split())} ...")
    return 0


def documents(arguments: argparse.Namespace, output: Output) -> int:
    """List documents as JSON lines, sorted by URL."""
    output.json_lines(
        inspection.documents(
            collaborators_of(arguments),
            arguments.site,
            target=Target(arguments.target),
            mask=arguments.mask,
        )
    )
    return 0


def generations(arguments: argparse.Namespace, output: Output) -> int:
    """List a site's generations, newest first."""
    rows = inspection.generations(collaborators_of(arguments), arguments.site)
    if output.as_json:
        output.document(rows)
        return 0
    heads = (
        "generation", "published_at", "current", "open", "documents", "watermark", "run_id",
    )  # fmt: skip
    output.table(
        heads,
        ([",".join(row[h]) if h == "current" else row[h] for h in heads] for row in rows),
    )
    return 0


def retry_list(arguments: argparse.Namespace, output: Output) -> int:
    """List the pages that runs try again, longest waiting first."""
    rows = retrying.retry_list(
        collaborators_of(arguments), arguments.site, Target(arguments.target)
    )
    if output.as_json:
        output.document(rows)
        return 0
    heads = ("url", "line", "block_date", "since", "until", "tries", "failure")
    output.table(heads, ([row[head] for head in heads] for row in rows))
    return 0


def watermark(arguments: argparse.Namespace, output: Output) -> int:
    """Show, set or clear a site's watermark, as the shell keeps it."""
    collaborators = collaborators_of(arguments)
    target = Target(arguments.target)
    site = collaborators.definition(arguments.site).id
    if arguments.change is not None and not arguments.standalone:
        refuse_airflow_site(collaborators, site, target, dag="site_indexer_watermark")
    if arguments.change == "set":
        if arguments.value is None:
            raise UsageError("watermark SITE set takes a date.", hint="Say 2026-01-31T12:00:00Z.")
        words = f"Set the watermark of {site} ({target}) to {iso(arguments.value)}."
        output.confirm(words, yes=arguments.yes)
        _set_watermark(collaborators, site, target, arguments.value)
    elif arguments.change == "clear":
        words = f"Clear the watermark of {site} ({target}): the next run sees every block as new."
        output.confirm(words, yes=arguments.yes)
        _set_watermark(collaborators, site, target, None)
    shown = show_watermark(collaborators, site, target)
    if output.as_json:
        output.document(shown)
    else:
        output.text(shown["watermark"] or "none")
    return 0


def _set_watermark(
    collaborators: Collaborators, site: str, target: Target, value: dt.datetime | None
) -> None:
    with logged(collaborators, OperationKind.WATERMARK, site, target=target) as open_log:
        set_watermark(open_log, site, target, value)
