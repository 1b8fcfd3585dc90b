"""What every use case works with; built in one place, ``wiring``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from site_indexer.crawling.progress import ProgressListener
from site_indexer.index_store.client import StoreClient
from site_indexer.indexing.model import Runs, Watermarks
from site_indexer.indexing.run_log import NO_LOG, RunLog
from site_indexer.indexing.site_access import Connections, EnvironmentConnections
from site_indexer.indexing.site_files import load_site
from site_indexer.sites.definition import SiteDefinition


class UnknownRuns:
    """Runs of which nothing is known, as a shell knows nothing of those of Airflow."""

    def has_ended(self, site: str, run_id: str) -> bool:
        """Not that anybody knew."""
        return False


@dataclass(frozen=True, slots=True)
class Collaborators:
    """The site files, the connection to OpenSearch, and where watermarks and log-ins are kept.

    ``progress`` is told how far a crawl is, where a person looks on. ``run_log`` is the index log
    of the run that goes on. ``runs`` knows what became of others.
    """

    sites_dir: Path
    client: StoreClient
    watermarks: Watermarks
    progress: ProgressListener | None = None
    run_log: RunLog = NO_LOG
    connections: Connections = field(default_factory=EnvironmentConnections)
    runs: Runs = field(default_factory=UnknownRuns)

    def definition(self, site: str) -> SiteDefinition:
        """The definition of a site. Raises SiteFileError that names file, line and field."""
        return load_site(self.sites_dir / f"{site}.yaml")
