"""Faults that a test makes the server have, path by path."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """How a path answers instead of with its page.

    ``status`` and ``body`` replace those of the page where they are given, ``headers`` are added.
    ``delay`` are seconds before the answer; ``stall`` holds it until the fault is cleared or the
    server stops. ``drop`` closes the connection without an answer; ``cut_after`` closes it after
    so many bytes of the body, whose Content-Length says more. ``times`` is the number of requests
    that meet the fault; None is all.
    """

    status: int | None = None
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    stall: bool = False
    drop: bool = False
    cut_after: int | None = None
    times: int | None = None


class Faults:
    """The faults of one server. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: dict[str, Fault] = {}
        self._met: dict[str, int] = {}
        self._released = threading.Event()

    def set(self, path: str, fault: Fault) -> None:
        """Let ``path`` (with its query, as requested) answer so from now on."""
        with self._lock:
            self._faults[path] = fault
            self._met[path] = 0

    def clear(self, path: str | None = None) -> None:
        """Heal one path, or all; requests that stall go on."""
        with self._lock:
            for name in [path] if path is not None else list(self._faults):
                self._faults.pop(name, None)
            self._released.set()
            self._released = threading.Event()

    def meet(self, path: str) -> Fault | None:
        """The fault that a request to ``path`` meets now, after its delay or stall."""
        with self._lock:
            fault = self._faults.get(path)
            if fault is None:
                return None
            if fault.times is not None and self._met[path] >= fault.times:
                return None
            self._met[path] += 1
            released = self._released
        if fault.stall:
            released.wait()
        elif fault.delay:
            released.wait(fault.delay)
        return fault
