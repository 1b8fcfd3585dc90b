"""Damaged scripts and URLs raise nothing but declared errors, and nothing hangs.

The short form; the long one is ``python -m tests.fuzz``.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tests.fuzz.mutation import mutated, script_seeds, url_seeds
from tests.fuzz.targets import try_script, try_url


@pytest.mark.parametrize(
    ("name", "target", "seeds", "count"),
    [("script", try_script, script_seeds(), 1_500), ("url", try_url, url_seeds(), 3_000)],
)
def test_damaged_input_gives_a_result_or_a_declared_error(
    name: str, target: Callable[[bytes, random.Random], None], seeds: list[bytes], count: int
) -> None:
    for number in range(count):
        source = random.Random(f"test-{name}{number}")
        data = mutated(seeds, source)
        try:
            target(data, source)
        except Exception as error:  # noqa: BLE001 - whatever breaks is what is looked for
            pytest.fail(f"{data!r}: {error!r}")


def test_seeds_are_found() -> None:
    assert len(script_seeds()) > 150
    assert len(url_seeds()) > 40
