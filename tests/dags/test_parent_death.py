from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from site_indexer.orchestration import parent_death

# A parent that starts a child, says its id, and waits to be killed. The child's standard output is
# the test's pipe, which ends when the child has ended.
PARENT = """
import subprocess, sys, time
child = '''
import sys, time
from site_indexer.orchestration.parent_death import end_with_parent
{call}
print("ready", flush=True)
time.sleep(60)
'''
subprocess.Popen([sys.executable, "-c", child])
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a service of the Linux kernel")
def test_a_task_ends_with_its_supervisor() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT.replace("{call}", "end_with_parent()")],
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "ready\n"
        os.kill(parent.pid, signal.SIGKILL)
        # Ends at once with the child; otherwise after the minute that the child would go on.
        assert parent.stdout.read() == ""
        assert parent.wait() == -signal.SIGKILL


def test_where_no_supervisor_is_the_process_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parent_death, "end_with_parent", lambda: pytest.fail("called"))
    parent_death.end_with_supervisor()
