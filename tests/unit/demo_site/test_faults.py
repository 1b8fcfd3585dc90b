"""Faults: which request meets which."""

from __future__ import annotations

import threading

from demo_site.faults import Fault, Faults


def test_a_fault_is_met_at_its_path_only() -> None:
    faults = Faults()
    fault = Fault(status=503)
    faults.set("/x", fault)
    assert faults.meet("/x") is fault
    assert faults.meet("/x") is fault
    assert faults.meet("/y") is None


def test_times_counts_down_and_setting_again_starts_anew() -> None:
    faults = Faults()
    fault = Fault(status=503, times=2)
    faults.set("/x", fault)
    assert [faults.meet("/x") for _ in range(3)] == [fault, fault, None]
    faults.set("/x", fault)
    assert faults.meet("/x") is fault


def test_clear_one_and_all() -> None:
    faults = Faults()
    for path in ("/x", "/y", "/z"):
        faults.set(path, Fault(status=503))
    faults.clear("/x")
    assert faults.meet("/x") is None
    assert faults.meet("/y") is not None
    faults.clear()
    assert faults.meet("/y") is None
    faults.clear("/never")


def test_what_stalls_goes_on_when_cleared() -> None:
    faults = Faults()
    faults.set("/x", Fault(stall=True))
    met: list[Fault | None] = []
    waiting = threading.Thread(target=lambda: met.append(faults.meet("/x")))
    waiting.start()
    faults.set("/x", Fault(status=500))
    faults.clear()
    waiting.join(timeout=10)
    assert len(met) == 1
