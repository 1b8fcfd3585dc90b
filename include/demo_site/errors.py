"""What can go wrong with the demo site that its user must know of."""

from __future__ import annotations

from site_indexer.errors import ConfigurationError


class DemoSiteError(ConfigurationError):
    """Base of the errors of the demo site."""

    code = "demo-site"


class PortTakenError(DemoSiteError):
    """Another process listens on the port asked for."""

    code = "demo-site-port-taken"


class StateUnusableError(DemoSiteError):
    """The state directory cannot be read or written, or holds something else."""

    code = "demo-site-state"
