"""``sites list|show|validate|schema``."""

from __future__ import annotations

import argparse
from pathlib import Path

from site_indexer.cli.output import Output
from site_indexer.errors import ConfigurationError
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.site_files import load_one, load_site, load_sites
from site_indexer.sites.loader import LoadedSite
from site_indexer.sites.schema import site_schema


def list_sites(arguments: argparse.Namespace, output: Output) -> int:
    """List the sites of the folder; invalid files are listed with their error."""
    loaded = load_sites(_folder(arguments))
    rows = [_row(site) for site in loaded]
    if output.as_json:
        output.document(rows)
    else:
        heads = ("id", "name", "schedule", "script", "error")
        # Of several findings the first line says how many; `validate` shows them.
        output.table(
            heads, ([(row[head] or "").partition("\n")[0] for head in heads] for row in rows)
        )
    return 0


def show(arguments: argparse.Namespace, output: Output) -> int:
    """Show one site with every default filled in."""
    definition = load_site(_folder(arguments) / f"{arguments.site}.yaml")
    output.document(definition.model_dump(mode="json"))
    return 0


def validate(arguments: argparse.Namespace, output: Output) -> int:
    """Check site files; 2 if one is invalid, since that is wrong configuration."""
    files: list[Path] = arguments.files
    loaded = [load_one(path) for path in files] if files else load_sites(_folder(arguments))
    invalid = [site for site in loaded if site.error is not None]
    if output.as_json:
        output.document([{"id": s.id, "file": str(s.path), "error": _message(s)} for s in loaded])
    else:
        for site in loaded:
            output.text(_message(site) or f"{site.path}: valid")
    return ConfigurationError.exit_status if invalid else 0


def schema(arguments: argparse.Namespace, output: Output) -> int:
    """Print the JSON schema of a site file."""
    del arguments
    output.document(site_schema())
    return 0


def _folder(arguments: argparse.Namespace) -> Path:
    return Settings.from_environment(sites_dir=arguments.sites).sites_dir


def _message(site: LoadedSite) -> str | None:
    return None if site.error is None else str(site.error)


def _row(site: LoadedSite) -> dict[str, str | None]:
    definition = site.definition
    if definition is None:
        empty: dict[str, str | None] = dict.fromkeys(("name", "schedule", "script"))
        return {"id": site.id, **empty, "error": _message(site)}
    schedule = definition.schedule
    return {
        "id": site.id,
        "name": definition.name,
        "schedule": schedule.grid.in_words(definition.timezone) if schedule else "by hand",
        "script": definition.script.url,
        "error": None,
    }
