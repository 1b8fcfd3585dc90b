"""What every crawler is told, and the words in which it reports."""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Assignment:
    """Crawl from ``front`` what begins with ``prefix``, into ``index`` at ``opensearch``.

    ``cache``: a folder to keep answers in, for a crawl that finds them unchanged next time.
    """

    front: str
    prefix: str
    opensearch: str
    index: str
    cache: str | None = None

    @property
    def origin(self) -> str:
        return "/".join(self.front.split("/")[:3])


def assignment() -> Assignment:
    """The assignment on the command line."""
    parser = argparse.ArgumentParser()
    for name in ("front", "prefix", "opensearch", "index"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--cache")
    return Assignment(**vars(parser.parse_args()))


def document_id(url: str) -> str:
    """One document a URL, however often it is crawled."""
    return hashlib.sha256(url.encode()).hexdigest()[:32]


def report(**counts: int) -> None:
    """Say what was done, as the last line of the output."""
    print(json.dumps(counts), flush=True)
