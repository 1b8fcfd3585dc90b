"""Waiting for a fact of a running system."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, TypeVar

import pytest

from tests.end_to_end.conftest import RUN_WAIT_S

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
