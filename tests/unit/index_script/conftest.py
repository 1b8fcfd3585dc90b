"""A parser with the real masks and a fixed clock."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from site_indexer.index_script import IndexScript, parse
from site_indexer.masks import check_mask

Lint = Callable[..., IndexScript]
NOW = dt.datetime(2026, 6, 15, 12, 0, tzinfo=dt.UTC)


@pytest.fixture(scope="session")
def lint() -> Lint:
    """Parse text or bytes on 15 June 2026; keywords go to ``parse``."""

    def parsed(data: str | bytes | Iterable[bytes], **options: Any) -> IndexScript:
        if isinstance(data, str):
            data = data.encode()
        usual: dict[str, Any] = {"source": "indexlist.txt", "now": NOW, "check_mask": check_mask}
        return parse(data, **(usual | options))

    return parsed
