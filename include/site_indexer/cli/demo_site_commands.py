"""``demo-site serve|change``: the demo website."""

from __future__ import annotations

import argparse

from demo_site import command
from site_indexer.cli.output import Output


def serve(arguments: argparse.Namespace, output: Output) -> int:
    """Serve the demo site until Ctrl-C."""
    del output
    return command.serve(port=arguments.port, state_dir=arguments.state)


def change(arguments: argparse.Namespace, output: Output) -> int:
    """Change pages of the demo site and append the block that says so."""
    return command.change(
        port=arguments.port,
        state_dir=arguments.state,
        now=arguments.now,
        as_json=output.as_json,
    )
