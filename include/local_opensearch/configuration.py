"""The files in the node's home that OpenSearch reads: settings, log settings, modules.

Layout of a home: ``config/``, ``data/``, ``logs/``, ``plugins/`` (empty), ``tmp/``, ``modules``
(a link into the installation) and the record of the running node.
"""

from __future__ import annotations

import json
from pathlib import Path

from local_opensearch.errors import ForeignHomeError
from local_opensearch.installation import Installation

FIRST_LINE = "# Written by local_opensearch at each start: changes here are lost."
CLUSTER_NAME = "site-indexer-local"
LOG_NAME = f"{CLUSTER_NAME}.log"
"""Where OpenSearch itself sends its readers."""
CONSOLE_NAME = "console.log"
LOCK_NAME = "node.lock"
"""File in the home that a process holds while it starts the node."""
HTTP_PORTS_NAME = "http.ports"
"""File in ``logs/`` in which OpenSearch says which HTTP port it got."""

# A laptop's disk is often more than 90 % full, where OpenSearch's relative defaults stop it from
# writing. What matters locally is that some room is left, so the limits are absolute and low; the
# last of them still protects the indexes from a disk that is really full.
DISK_LIMITS_MB = {"low": 512, "high": 384, "flood_stage": 256}


def node_settings(http_port: int, transport_port: int) -> str:
    """Text of ``opensearch.yml`` (JSON values, which YAML reads). Ports of 0 mean any free one."""
    settings: dict[str, object] = {
        "cluster.name": CLUSTER_NAME,
        "node.name": "local",
        "discovery.type": "single-node",
        "network.host": "127.0.0.1",
        "http.port": http_port,
        "transport.port": transport_port,
        "node.portsfile": True,
        # A write to an alias that is missing must fail, not create an index with guessed fields.
        "action.auto_create_index": False,
        # One node holds what a cluster would share; a test run makes many small indexes.
        "cluster.max_shards_per_node": 5000,
        "cluster.routing.allocation.disk.threshold_enabled": True,
        **{
            f"cluster.routing.allocation.disk.watermark.{name}": f"{megabytes}mb"
            for name, megabytes in DISK_LIMITS_MB.items()
        },
    }
    lines = (f"{name}: {json.dumps(value)}" for name, value in settings.items())
    return "\n".join((FIRST_LINE, *lines, ""))


LOG_SETTINGS = f"""\
status = error

appender.rolling.type = RollingFile
appender.rolling.name = rolling
appender.rolling.fileName = ${{sys:opensearch.logs.base_path}}/{LOG_NAME}
appender.rolling.filePattern = ${{sys:opensearch.logs.base_path}}/{LOG_NAME}.%i
appender.rolling.layout.type = PatternLayout
appender.rolling.layout.pattern = %d{{ISO8601}} %-5p %c{{1.}} %m%n
appender.rolling.policies.type = Policies
appender.rolling.policies.size.type = SizeBasedTriggeringPolicy
appender.rolling.policies.size.size = 10MB
appender.rolling.strategy.type = DefaultRolloverStrategy
appender.rolling.strategy.max = 3

rootLogger.level = info
rootLogger.appenderRef.rolling.ref = rolling
"""

QUIET_LOGGERS = {
    # Its native calls are switched off on purpose (local_opensearch.java).
    "org.opensearch.bootstrap.Natives": "off",
    # Limits of the system that matter to servers.
    "org.opensearch.bootstrap.BootstrapChecks": "error",
    # Says at each start that faster vector arithmetic exists.
    "org.apache.lucene.internal.vectorization": "error",
    # One to three lines for each index that is created.
    "org.opensearch.index.MergeSchedulerConfig": "warn",
    "org.opensearch.cluster.service": "warn",
    "org.opensearch.gateway.DanglingIndicesState": "error",
    "org.opensearch.index.reindex.ReindexModulePlugin": "warn",
}
"""Log lines that say nothing about a local node, by logger, with the level that leaves them out."""


def log_settings() -> str:
    """Text of ``log4j2.properties``."""
    lines = [LOG_SETTINGS]
    for number, (name, level) in enumerate(QUIET_LOGGERS.items()):
        lines.append(f"logger.quiet{number}.name = {name}")
        lines.append(f"logger.quiet{number}.level = {level}")
    return "\n".join((*lines, ""))


def is_ours(home: Path) -> bool:
    """Whether a node wrote this home before."""
    try:
        settings = (home / "config" / "opensearch.yml").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return settings.startswith(FIRST_LINE)


def require_own_home(home: Path) -> None:
    """Raise :class:`ForeignHomeError` if ``home`` has files but none of a node."""
    if is_ours(home) or not home.is_dir():
        return
    if any(entry.name != LOCK_NAME for entry in home.iterdir()):
        raise ForeignHomeError(
            f"{home} is not empty and no OpenSearch of this product lived there.",
            hint="Name an empty or a new folder with --home.",
            home=str(home),
        )


def write_home(home: Path, installation: Installation, http_port: int, transport_port: int) -> None:
    """Write or refresh the home's files. Raises ``OSError`` where it cannot be written."""
    for folder in ("config", "data", "logs", "plugins", "tmp"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    config = home / "config"
    settings = node_settings(http_port, transport_port)
    (config / "opensearch.yml").write_text(settings, encoding="utf-8")
    (config / "log4j2.properties").write_text(log_settings(), encoding="utf-8")
    (config / "jvm.options").write_text("", encoding="utf-8")
    (home / "logs" / HTTP_PORTS_NAME).unlink(missing_ok=True)
    modules = home / "modules"
    modules.unlink(missing_ok=True)
    modules.symlink_to(installation.modules, target_is_directory=True)
