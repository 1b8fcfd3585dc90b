"""What can go wrong with the local node, each with what to do about it.

All derive from :class:`site_indexer.errors.SiteIndexerError`. Exit status 2: the person chose
something that cannot be; 3: the node, as a service, cannot be had (docs/spec/08-shell.md, *Exit
status*).
"""

from __future__ import annotations

from site_indexer.errors import ConfigurationError, TransientError


class LocalNodeError(TransientError):
    """The node could not be prepared, started or stopped."""

    code = "local-opensearch"
    exit_status = 3


class PortTakenError(ConfigurationError):
    """Another program listens on the port asked for."""

    code = "port-taken"


class NodeOnOtherPortError(ConfigurationError):
    """The node of this home runs already, on another port than the one asked for."""

    code = "node-on-other-port"


class ForeignHomeError(ConfigurationError):
    """The home folder has files that no node wrote: starting or resetting there could harm them."""

    code = "foreign-home"


class HomeError(ConfigurationError):
    """The home folder cannot be written."""

    code = "home-unusable"


class NotEnoughMemoryError(LocalNodeError):
    """Less memory is free than the heap and what Java needs around it."""

    code = "not-enough-memory"


class NotEnoughDiskError(LocalNodeError):
    """Less disk is free than a node needs to accept writes."""

    code = "not-enough-disk"


class JavaUnusableError(LocalNodeError):
    """There is no Java runtime, or it does not run on this machine."""

    code = "java-unusable"


class DownloadError(LocalNodeError):
    """OpenSearch's jars could not be fetched: no network, or a repository that refuses."""

    code = "download-failed"


class ChecksumError(LocalNodeError):
    """A jar is not the one that the lock file pins."""

    code = "checksum-mismatch"
    transient = False


class CacheError(LocalNodeError):
    """The cache folder cannot be written."""

    code = "cache-unusable"


class NodeDiedError(LocalNodeError):
    """The node ended while it was starting."""

    code = "node-died"


class NodeNotReadyError(LocalNodeError):
    """The node runs but did not answer in the time given."""

    code = "node-not-ready"


class NodeNotStoppedError(LocalNodeError):
    """The node could not be ended, for example because another user owns it."""

    code = "node-not-stopped"
