"""``normalize``: URLs as they are stored (docs/spec/08-shell.md, 8.5)."""

from __future__ import annotations

import argparse

from site_indexer.cli.output import Output
from site_indexer.errors import UrlError
from site_indexer.urls import document_id, normalize


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
