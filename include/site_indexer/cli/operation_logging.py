"""The index log of what a person at a shell does to a site's indexes."""

from __future__ import annotations

import getpass
from contextlib import AbstractContextManager

from site_indexer.index_store.names import Target
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.operation_log import OperationKind, operation_log
from site_indexer.indexing.run_identity import new_shell_run_id


def logged(
    collaborators: Collaborators,
    kind: OperationKind,
    site: str,
    run_id: str | None = None,
    *,
    target: Target = Target.LIVE,
) -> AbstractContextManager[Collaborators]:
    """Keep the log while the block runs; without ``run_id`` under one of its own."""
    return operation_log(
        collaborators,
        kind,
        site=site,
        run_id=run_id or new_shell_run_id(),
        by=getpass.getuser(),
        target=target,
    )
