"""Value objects of which a crawl makes many for each page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def value_object(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots, frozen for the type checker alone.

    A frozen dataclass sets each of its fields by a call, which makes it two to five times as dear:
    a twentieth of what a page takes. That nothing assigns to a field is checked before it runs.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
