"""From a command's options to the collaborators of the use cases."""

from __future__ import annotations

import argparse

from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators


def collaborators_of(arguments: argparse.Namespace) -> Collaborators:
    """Options first, then the environment, then defaults."""
    settings = Settings.from_environment(
        sites_dir=arguments.sites, opensearch_url=arguments.opensearch
    )
    return build_collaborators(settings=settings)
