"""The shell ``site-indexer``: the same use cases as the Dags (docs/spec/08-shell.md).

Nothing here imports Airflow, and a subcommand's module is imported only when it runs, so that
``site-indexer --help`` answers at once.
"""

from __future__ import annotations

from site_indexer.cli.entry import main

__all__ = ["main"]
