"""``opensearch ...`` and ``demo-site ...``: what development and the demo need."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from site_indexer.cli.output import Output


def opensearch_start(arguments: argparse.Namespace, output: Output) -> int:
    """Start the local node and leave it running."""
    from local_opensearch import command

    return _report(command.start(port=arguments.port, home=arguments.home), output)


def opensearch_stop(arguments: argparse.Namespace, output: Output) -> int:
    """Stop the local node."""
    from local_opensearch import command

    return _report(command.stop(port=arguments.port, home=arguments.home), output)


def opensearch_status(arguments: argparse.Namespace, output: Output) -> int:
    """Say whether the local node runs."""
    from local_opensearch import command

    return _report(command.status(port=arguments.port, home=arguments.home), output)


def opensearch_reset(arguments: argparse.Namespace, output: Output) -> int:
    """Stop the local node and delete its data."""
    from local_opensearch import command

    return _report(command.reset(port=arguments.port, home=arguments.home), output)


def demo_site_serve(arguments: argparse.Namespace, output: Output) -> int:
    """Serve the demo site until Ctrl-C."""
    del output
    from demo_site import command

    return command.serve(port=arguments.port, state=arguments.state)


def demo_site_change(arguments: argparse.Namespace, output: Output) -> int:
    """Change pages of the demo site and append the block that says so."""
    from demo_site import command

    return _report(command.change(port=arguments.port, state=arguments.state), output)


def _report(facts: Mapping[str, object], output: Output) -> int:
    if output.as_json:
        output.document(dict(facts))
    else:
        for name, value in facts.items():
            output.text(f"{name}: {value}")
    return 0
