"""Settings of one process: options first, then ``SITE_INDEXER_*``, then defaults.

Credentials come from the environment only (docs/spec/08-shell.md, *Settings*).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_SITES_DIR = Path(__file__).parents[2] / "sites"
DEFAULT_OPENSEARCH_URL = "http://127.0.0.1:9200"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the site files and OpenSearch are."""

    sites_dir: Path
    opensearch_url: str
    opensearch_user: str | None = None
    opensearch_password: str | None = field(default=None, repr=False)
    opensearch_ca_certs: str | None = None

    @classmethod
    def from_environment(
        cls,
        environment: Mapping[str, str] = os.environ,
        *,
        sites_dir: Path | None = None,
        opensearch_url: str | None = None,
    ) -> Settings:
        """Read the settings; arguments win over the environment, the environment over defaults."""
        return cls(
            sites_dir=sites_dir or Path(environment.get("SITE_INDEXER_SITES") or DEFAULT_SITES_DIR),
            opensearch_url=opensearch_url
            or environment.get("SITE_INDEXER_OPENSEARCH_URL")
            or DEFAULT_OPENSEARCH_URL,
            opensearch_user=environment.get("SITE_INDEXER_OPENSEARCH_USER") or None,
            opensearch_password=environment.get("SITE_INDEXER_OPENSEARCH_PASSWORD") or None,
            opensearch_ca_certs=environment.get("SITE_INDEXER_OPENSEARCH_CA_CERTS") or None,
        )
