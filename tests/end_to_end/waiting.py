"""Waiting for a fact of a running system."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, TypeVar

import pytest

RUN_WAIT_S = 180.0
POLL_S = 0.1

T = TypeVar("T")


def wait_for(words: str, fact: Callable[[], T | Literal[False]]) -> T:
    """Poll until a fact holds; returns it. Fails with the words where it takes too long."""
    deadline = time.monotonic() + RUN_WAIT_S
    while time.monotonic() < deadline:
        found = fact()
        if found:
            return found
        time.sleep(POLL_S)
    pytest.fail(f"waited in vain until {words}")
