"""Which drop is allowed for a value, and where one set of bounds allows more than another."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.config import Allowance
from retrieval_gate.base.ids import AblationId, MetricId, SliceId
from retrieval_gate.verdict.accepted import Bounds
from retrieval_gate.verdict.drops import Drops, widened

METRICS = (MetricId("mrr@10"), MetricId("ndcg@10"), MetricId("new@10"))
ABLATIONS = (AblationId("hybrid"), AblationId("lexical"), AblationId("new"))
SLICES = (SliceId("all"), SliceId("language=en"), SliceId("tag=new"))


def allow(
    drop: float, metric: str | None = None, ablation: str | None = None, group: str | None = None
) -> Allowance:
    return Allowance(
        metric=None if metric is None else MetricId(metric),
        ablation=None if ablation is None else AblationId(ablation),
        slice=None if group is None else SliceId(group),
        max_drop=drop,
    )


def bounds(*allowances: Allowance, max_drop: float = 0.0) -> Bounds:
    return Bounds(gates=(), max_drop=max_drop, slack=1e-9, allowances=allowances, waivers=())


def at(of: Bounds) -> float:
    return Drops(of).at(MetricId("mrr@10"), AblationId("hybrid"), SliceId("all"))


@pytest.mark.parametrize(
    ("allowances", "expected"),
    [
        ((), 0.3),
        ((allow(0.1, "ndcg@10"),), 0.3),
        ((allow(0.1),), 0.1),
        ((allow(0.1), allow(0.2, "mrr@10")), 0.2),
        ((allow(0.0, "mrr@10", "hybrid"), allow(0.9, "mrr@10")), 0.0),
        ((allow(0.5, "mrr@10", "hybrid", "all"), allow(0.0, "mrr@10", "hybrid")), 0.5),
    ],
)
def test_the_most_specific_allowance_decides(allowances: tuple[Allowance, ...], expected: float) -> None:
    assert at(bounds(*allowances, max_drop=0.3)) == expected


@given(st.permutations([allow(0.2, "mrr@10"), allow(0.1, None, "hybrid"), allow(0.3, None, None, "all")]))
def test_of_equally_specific_ones_the_strictest_decides_in_any_order(allowances: list[Allowance]) -> None:
    assert at(bounds(*allowances)) == 0.1


def test_removing_a_strict_allowance_widens_what_it_named() -> None:
    (found,) = widened(bounds(allow(0.0, "mrr@10"), max_drop=0.05), bounds(max_drop=0.05))

    assert found == (("mrr@10", None, None), 0.0, 0.05)


def test_a_wider_default_is_told_once_though_a_strict_allowance_stays() -> None:
    strict = allow(0.0, "mrr@10")

    assert list(widened(bounds(strict), bounds(strict, max_drop=0.1))) == [((None, None, None), 0.0, 0.1)]


DROPS = st.sampled_from([0.0, 0.01, 0.02])
# One name of each field is left for values that no allowance names.
PATTERNS = st.tuples(
    *(st.sampled_from([None, *(str(name) for name in names[:2])]) for names in (METRICS, ABLATIONS, SLICES))
)
BOUNDS = st.builds(
    lambda allowed, max_drop: bounds(
        *(allow(drop, *pattern) for pattern, drop in sorted(allowed.items(), key=str)), max_drop=max_drop
    ),
    st.dictionaries(PATTERNS, DROPS, max_size=5),
    DROPS,
)


@given(BOUNDS, BOUNDS)
def test_something_is_widened_exactly_where_some_value_may_drop_further(base: Bounds, now: Bounds) -> None:
    old, new = Drops(base), Drops(now)
    further = [value for value in product(METRICS, ABLATIONS, SLICES) if new.at(*value) > old.at(*value)]
    told = [item.pattern for item in widened(base, now)]

    assert bool(told) is bool(further)
    for value in further:
        assert any(all(name in (None, own) for name, own in zip(pattern, value, strict=True)) for pattern in told)
