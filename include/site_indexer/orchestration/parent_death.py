"""A task process must not outlive the one that watches it.

Airflow declares a task dead when its supervisor is gone and starts it again, while the process
itself would go on and write beside its successor. Linux can end it with its parent.
"""

from __future__ import annotations

import ctypes
import signal
import sys

from airflow.sdk.execution_time import task_runner
from airflow.sdk.execution_time.comms import CommsDecoder

_PR_SET_PDEATHSIG = 1


def end_with_supervisor() -> None:
    """End this process when its supervisor ends; harmless where there is none.

    In ``dag.test()`` the task runs in the process of whoever called it: that one is left alone.
    """
    if isinstance(getattr(task_runner, "SUPERVISOR_COMMS", None), CommsDecoder):
        end_with_parent()


def end_with_parent() -> None:
    """End this process when its parent ends. Does nothing on other systems than Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
