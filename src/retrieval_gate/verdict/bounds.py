"""The one place where a value is held against a bound.

Equal passes and one step below fails; a value that was not measured, or is not a finite number, never passes.
"""

from __future__ import annotations

from math import isfinite

from retrieval_gate.base.scores import Direction

# Rounding tolerance of every comparison: far above the error of a mean, far below any real change.
SLACK = 1e-9


def at_least(value: float | None, bound: float, slack: float = SLACK) -> bool:
    """Whether `value >= bound - slack`. Raises ValueError where the limit is not finite."""
    return value is not None and isfinite(value) and value >= _finite(bound - slack)


def at_most(value: float | None, bound: float, slack: float = SLACK) -> bool:
    """Whether `value <= bound + slack`. Raises ValueError where the limit is not finite."""
    return value is not None and isfinite(value) and value <= _finite(bound + slack)


def limit(reference: float, direction: Direction, allowed: float) -> float:
    """The worst value that is allowed where `reference` may get worse by `allowed`."""
    return reference - allowed if direction is Direction.HIGHER else reference + allowed


def within(value: float | None, bound: float, direction: Direction, slack: float = SLACK) -> bool:
    """Whether `value` is no worse than `bound` in the metric's direction."""
    return at_least(value, bound, slack) if direction is Direction.HIGHER else at_most(value, bound, slack)


def fell(
    before: float | None, now: float | None, direction: Direction, allowed: float, slack: float = SLACK
) -> bool:
    """Whether `now` is worse than `before` by more than `allowed`.

    Not measured before is no fall, measured before and not now is one.
    """
    return before is not None and not within(now, limit(before, direction, allowed), direction, slack)


def rose(before: float | None, now: float | None, direction: Direction, slack: float = SLACK) -> bool:
    """Whether `now` is better than `before`; False where either was not measured."""
    if before is None or now is None:
        return False
    return fell(now, before, direction, 0.0, slack)


def _finite(bound: float) -> float:
    if not isfinite(bound):
        raise ValueError("a bound must be a finite number")
    return bound
