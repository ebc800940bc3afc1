"""Values from parsed JSON, taken as what they must be or refused; nothing is converted.

Every function raises TypeError for another type and ValueError for a value out of range, never quoting it.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

MAX_COUNT = 2**53


def as_list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list is expected")
    return value


def as_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    return value


def as_text_or_none(value: object) -> str | None:
    return None if value is None else as_text(value)


def as_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false is expected")
    return value


def as_count(value: object) -> int:
    """An integer from 0 that every JSON reader keeps exact; `true` is not 1."""
    if type(value) is not int:
        raise TypeError("an integer is expected")
    if not 0 <= value <= MAX_COUNT:
        raise ValueError("a count is negative or too large")
    return value


def as_count_or_none(value: object) -> int | None:
    return None if value is None else as_count(value)


def as_number(value: object) -> float:
    """A finite number."""
    if type(value) is int and abs(value) > MAX_COUNT:
        raise ValueError("a number is too large")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("a number is expected")
    if not isfinite(value):
        raise ValueError("a finite number is expected")
    return float(value)


def as_number_or_none(value: object) -> float | None:
    return None if value is None else as_number(value)
