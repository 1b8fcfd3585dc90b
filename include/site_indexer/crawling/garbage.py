"""Has Python look for garbage in cycles less often while pages are read.

Each page makes thousands of objects that go with it, none of them in cycles, and in a crawl many
stay: the collector, as it is set, goes through them again and again, a tenth of all the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG = 50_000
_FEWER = 20


@contextmanager
def collected_seldom() -> Iterator[None]:
    """Collect seldom while the block runs, and leave out what is there when it begins."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_YOUNG, _FEWER, _FEWER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
