"""Processes that die at a chosen step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest


@contextmanager
def killed_at(module: ModuleType, step: str) -> Iterator[None]:
    """Let the process die where ``module`` comes to that step, without any cleaning up."""

    def die(*args: Any, **more: Any) -> None:
        raise SystemExit(137)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, step, die)
        with pytest.raises(SystemExit):
            yield
