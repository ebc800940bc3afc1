"""The only ranking order: score rounded, highest first, then content hash, then id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from retrieval_gate.base.canonical import rounded

T = TypeVar("T")


def ranking_key(score: float, content_hash: str, item_id: str) -> tuple[float, str, str]:
    """Sort key of one result; ascending order of keys is the ranking."""
    return (-rounded(score), content_hash, item_id)


def first_occurrences(items: Iterable[T]) -> tuple[T, ...]:
    """The distinct items, each at its first place."""
    return tuple(dict.fromkeys(items))


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The known name most like a misspelt one; None where nothing is near."""
    import difflib

    matches = difflib.get_close_matches(name, known, n=1)
    return matches[0] if matches else None
