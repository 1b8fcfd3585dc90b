"""``opensearch start|stop|status|reset``: a real node on this machine."""

from __future__ import annotations

import argparse

from local_opensearch import command
from site_indexer.cli.output import Output


def start(arguments: argparse.Namespace, output: Output) -> int:
    """Start the local node and leave it running."""
    output.facts(command.start(port=arguments.port, home=arguments.home))
    return 0


def stop(arguments: argparse.Namespace, output: Output) -> int:
    """Stop the local node."""
    output.facts(command.stop(home=arguments.home))
    return 0


def status(arguments: argparse.Namespace, output: Output) -> int:
    """Say whether the local node runs."""
    output.facts(command.status(home=arguments.home))
    return 0


def reset(arguments: argparse.Namespace, output: Output) -> int:
    """Stop the local node and delete its data."""
    output.facts(command.reset(home=arguments.home))
    return 0
