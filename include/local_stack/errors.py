"""What can go wrong with the local stack."""

from __future__ import annotations

from typing import ClassVar

from site_indexer.errors import ConfigurationError, PermanentError, TransientError


class PortInUseError(ConfigurationError):
    """A port that the stack needs is taken."""

    code: ClassVar[str] = "port-in-use"


class AirflowNotReadyError(TransientError):
    """Airflow ended, or did not answer in time."""

    code: ClassVar[str] = "airflow-not-ready"


class AirflowRefusedError(PermanentError):
    """Airflow's REST API refused a request."""

    code: ClassVar[str] = "airflow-refused"


class DemoFailedError(PermanentError):
    """Something that the demo shows was not as it should be."""

    code: ClassVar[str] = "demo-failed"
