"""The date of a page in its JSON-LD (schema.org ``dateModified``)."""

from __future__ import annotations

from collections import deque
from typing import Any

import orjson

_MOST_VALUES = 10_000


def date_modified(text: str) -> str | None:
    """The first ``dateModified`` that is text, nearest to the top; None if there is none.

    Malformed JSON-LD is as good as none: it is no part of the page that readers see.
    """
    if "dateModified" not in text:
        return None
    try:
        queue: deque[Any] = deque([orjson.loads(text)])
    except orjson.JSONDecodeError:
        return None
    for _ in range(_MOST_VALUES):
        if not queue:
            break
        value = queue.popleft()
        if isinstance(value, dict):
            stated = value.get("dateModified")
            if isinstance(stated, str):
                return stated
            queue.extend(value.values())
        elif isinstance(value, list):
            queue.extend(value)
    return None
