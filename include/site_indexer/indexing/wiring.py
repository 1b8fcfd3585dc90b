"""The one place that builds collaborators."""

from __future__ import annotations

from pathlib import Path

from site_indexer.index_store.client import connect
from site_indexer.index_store.state import StateStore
from site_indexer.indexing.collaborators import Collaborators, UnknownRuns
from site_indexer.indexing.model import Runs, Watermarks
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.site_access import Connections, EnvironmentConnections
from site_indexer.indexing.state_watermarks import StateWatermarks


def build_collaborators(
    sites_dir: Path | None = None,
    watermarks: Watermarks | None = None,
    *,
    connections: Connections | None = None,
    runs: Runs | None = None,
    settings: Settings | None = None,
) -> Collaborators:
    """Build what the use cases need from the settings of this process.

    Without ``watermarks`` they are kept in OpenSearch, and without ``connections`` in the
    environment, as the shell does; without ``runs`` none is known to have ended. Connects to
    nothing yet.
    """
    settings = settings or Settings.from_environment(sites_dir=sites_dir)
    client = connect(
        settings.opensearch_url,
        user=settings.opensearch_user,
        password=settings.opensearch_password,
        ca_certs=settings.opensearch_ca_certs,
    )
    return Collaborators(
        sites_dir=sites_dir or settings.sites_dir,
        client=client,
        watermarks=watermarks or StateWatermarks(StateStore(client)),
        connections=connections or EnvironmentConnections(),
        runs=runs or UnknownRuns(),
    )
