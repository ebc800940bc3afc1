"""How much a value may get worse: the default drop and its allowances, and where they allow more than before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from retrieval_gate.base.config import Allowance, Config
from retrieval_gate.base.ids import AblationId, MetricId, SliceId
from retrieval_gate.verdict.accepted import Bounds


class Pattern(NamedTuple):
    """The values that an allowance is about; None matches all."""

    metric: MetricId | None = None
    ablation: AblationId | None = None
    slice: SliceId | None = None


# Which fields of a value an allowance may name, by how many: the most specific first.
_LEVELS = (
    ((True, True, True),),
    ((True, True, False), (True, False, True), (False, True, True)),
    ((True, False, False), (False, True, False), (False, False, True)),
    ((False, False, False),),
)


class Drops:
    """The drops that bounds allow: the most specific allowance that matches a value, the strictest of equals."""

    def __init__(self, bounds: Config | Bounds) -> None:
        self._default = bounds.max_drop
        self._allowed = {_pattern(allowance): allowance.max_drop for allowance in bounds.allowances}

    def at(self, metric: MetricId | None, ablation: AblationId | None, group: SliceId | None) -> float:
        """The drop allowed for one value; None stands for a name that no allowance gives."""
        for level in _LEVELS if self._allowed else ():
            patterns = (
                Pattern(
                    metric if by_metric else None, ablation if by_ablation else None, group if by_slice else None
                )
                for by_metric, by_ablation, by_slice in level
            )
            found = [self._allowed[pattern] for pattern in patterns if pattern in self._allowed]
            if found:
                return min(found)
        return self._default

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """What the allowances name, and the default's empty pattern."""
        return (Pattern(), *self._allowed)


class Widened(NamedTuple):
    """Values whose drop `now` allows more than `before`; an empty pattern is the default itself."""

    pattern: Pattern
    before: float
    now: float


def widened(base: Bounds, now: Bounds) -> Iterator[Widened]:
    """Where `now` allows a larger drop than `base`, for values that exist and for those that may come.

    Where it does for some value, the pattern that both deciding allowances have in common says so as well: of the
    allowances that match it, these two are still the deciding ones. So those patterns are all that is looked at.
    """
    if (base.max_drop, base.allowances) == (now.max_drop, now.allowances):
        return
    old, new = Drops(base), Drops(now)
    common = {met for one in old.patterns for other in new.patterns if (met := _met(one, other)) is not None}
    for pattern in sorted(common, key=lambda pattern: [name or "" for name in pattern]):
        before, after = old.at(*pattern), new.at(*pattern)
        if after > before:
            yield Widened(pattern, before, after)


def _pattern(allowance: Allowance) -> Pattern:
    return Pattern(allowance.metric, allowance.ablation, allowance.slice)


def _met(one: Pattern, other: Pattern) -> Pattern | None:
    """The pattern of what both match; None where they share nothing."""
    if any(None not in pair and pair[0] != pair[1] for pair in zip(one, other, strict=True)):
        return None
    return Pattern(one.metric or other.metric, one.ablation or other.ablation, one.slice or other.slice)
