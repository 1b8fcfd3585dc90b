"""Where the node lives and listens when nobody says otherwise: environment, then defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from local_opensearch.pins import VERSION
from site_indexer.errors import ConfigurationError

DEFAULT_HTTP_PORT = 9200
DEFAULT_HEAP_MB = 1024

PORT_VARIABLE = "SITE_INDEXER_OPENSEARCH_PORT"
HEAP_VARIABLE = "SITE_INDEXER_OPENSEARCH_HEAP_MB"
FAST_START_VARIABLE = "SITE_INDEXER_OPENSEARCH_FAST_START"


def cache_root(environment: Mapping[str, str] = os.environ) -> Path:
    """Folder of the installed jars: shared by all nodes of this user, free to be deleted."""
    chosen = environment.get("SITE_INDEXER_CACHE")
    if chosen:
        base = Path(chosen)
    else:
        caches = environment.get("XDG_CACHE_HOME")
        base = (Path(caches) if caches else Path.home() / ".cache") / "site-indexer"
    return base.absolute() / f"opensearch-{VERSION}"


def default_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Folder of the node's data, logs and configuration."""
    chosen = environment.get("SITE_INDEXER_STATE")
    base = Path(chosen) if chosen else project_root() / ".state"
    return base.absolute() / "opensearch"


def project_root() -> Path:
    """The checkout that this package lies in; where it is installed elsewhere, the current folder.

    A checkout is known by its ``pyproject.toml``.
    """
    root = Path(__file__).parents[2]
    return root if (root / "pyproject.toml").is_file() else Path.cwd()


def default_http_port(environment: Mapping[str, str] = os.environ) -> int:
    """Port for HTTP on 127.0.0.1; 0 stands for any free one. Raises ``ConfigurationError``."""
    return _number(environment, PORT_VARIABLE, DEFAULT_HTTP_PORT, 65535)


def default_heap_mb(environment: Mapping[str, str] = os.environ) -> int:
    """Java heap in megabytes. Raises ``ConfigurationError``."""
    return _number(environment, HEAP_VARIABLE, DEFAULT_HEAP_MB, 1_000_000)


def fast_start_wanted(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether to prepare and use faster starts. ``0`` forbids it: for a machine that starts once.

    See :mod:`local_opensearch.fast_start`.
    """
    return environment.get(FAST_START_VARIABLE, "1") != "0"


def _number(environment: Mapping[str, str], name: str, default: int, highest: int) -> int:
    text = environment.get(name, "")
    if not text:
        return default
    if text.isascii() and text.isdecimal() and int(text) <= highest:
        return int(text)
    raise ConfigurationError(
        f"{name} is {text!r}; expected a whole number from 0 to {highest}.",
        hint=f"Set {name} to such a number or unset it.",
        setting=name,
    )
