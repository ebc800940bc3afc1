"""First come, first kept: the order in which distinct things are counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def first_occurrences(items: Iterable[T]) -> tuple[T, ...]:
    """The distinct items, each at its first place."""
    return tuple(dict.fromkeys(items))
