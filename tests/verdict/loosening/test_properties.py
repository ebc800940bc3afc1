"""Rules that hold whatever is loosened."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.config import Allowance, GateKind, GateSpec, Waiver
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId
from retrieval_gate.verdict.accepted import Baseline, Bounds
from retrieval_gate.verdict.baseline import bounds_of, read_baseline, render_baseline
from retrieval_gate.verdict.loosening import Loosening, approval_hash, loosenings, names
from tests.verdict.loosening.examples import EXAMPLES
from tests.verdict.loosening.world import BASE, branch, loosened

BASELINE = BASE.baseline
SIDES = tuple(example.now.baseline for example in EXAMPLES)

_VALUE = st.floats(min_value=0.0, max_value=1.0)
_METRIC = st.sampled_from([MetricId(name) for name in BASE.metrics])
_ABLATION = st.sampled_from([AblationId(name) for name in BASE.ablations])
_SLICE = st.sampled_from([SliceId("all"), SliceId("language=en")])


def _gate(kind: GateKind, ablation: AblationId, metric: MetricId, group: SliceId, bound: float) -> GateSpec:
    other = AblationId("lexical" if ablation == "hybrid" else "hybrid")
    reference = other if kind is GateKind.MAX_BELOW else None
    return GateSpec(kind=kind, ablation=ablation, metric=metric, slice=group, bound=bound, reference=reference)


_GATES = st.lists(
    st.builds(_gate, st.sampled_from(GateKind), _ABLATION, _METRIC, _SLICE, _VALUE),
    max_size=6,
    unique_by=lambda gate: (gate.kind, gate.ablation, gate.metric, gate.slice),
)
_ALLOWANCES = st.lists(
    st.builds(
        Allowance,
        metric=st.none() | _METRIC,
        ablation=st.none() | _ABLATION,
        slice=st.none() | _SLICE,
        max_drop=_VALUE,
    ),
    max_size=5,
    unique_by=lambda item: (item.metric, item.ablation, item.slice),
)
_WAIVERS = st.lists(
    st.builds(
        Waiver,
        query=st.sampled_from([QueryId("q1"), QueryId("q2")]),
        reason=st.just("known"),
        expires=st.dates(date(2026, 1, 1), date(2026, 12, 31)),
    ),
    max_size=2,
    unique_by=lambda item: item.query,
)


@st.composite
def bounds(draw: st.DrawFn) -> Bounds:
    made = branch(
        gates=tuple(draw(_GATES)),
        allowances=tuple(draw(_ALLOWANCES)),
        waivers=tuple(draw(_WAIVERS)),
        max_drop=draw(_VALUE),
        slack=draw(_VALUE),
    )
    return bounds_of(made.config)


@st.composite
def tightened(draw: st.DrawFn) -> tuple[Bounds, Bounds]:
    """Any bounds, and the same with each of them left alone or made stricter."""
    old = draw(bounds())
    by = draw(_VALUE)
    sign = {GateKind.FLOOR: 1.0, GateKind.CEILING: -1.0, GateKind.MAX_BELOW: -1.0}
    new = Bounds(
        gates=tuple(
            replace(gate, bound=gate.bound + sign[gate.kind] * by) if draw(st.booleans()) else gate
            for gate in old.gates
        ),
        max_drop=old.max_drop * draw(_VALUE),
        slack=old.slack * draw(_VALUE),
        allowances=tuple(replace(item, max_drop=item.max_drop * draw(_VALUE)) for item in old.allowances),
        waivers=tuple(
            (query, expires - timedelta(days=draw(st.integers(0, 9))))
            for query, expires in old.waivers
            if draw(st.booleans())
        ),
    )
    return old, new


def _bounded(of: Bounds) -> Baseline:
    return replace(BASELINE, bounds=of)


@given(st.sampled_from(SIDES), bounds())
def test_nothing_is_looser_than_itself(side: Baseline, own: Bounds) -> None:
    same = replace(side, bounds=own)

    assert loosenings(same, same) == ()
    assert loosenings(same, same, committed=same) == ()


@given(tightened())
def test_making_bounds_stricter_is_never_a_loosening(both: tuple[Bounds, Bounds]) -> None:
    old, new = both

    assert loosenings(_bounded(old), _bounded(new)) == ()


@given(tightened())
def test_the_other_way_round_every_change_of_a_bound_is_one(both: tuple[Bounds, Bounds]) -> None:
    """Apart from allowances: a stricter one may stand where a still stricter one decides anyway."""
    old, new = (replace(side, allowances=()) for side in both)

    assert bool(loosenings(_bounded(new), _bounded(old))) is (old != new)


@given(bounds(), bounds())
def test_stricter_both_ways_means_equal(one: Bounds, other: Bounds) -> None:
    there, back = loosenings(_bounded(one), _bounded(other)), loosenings(_bounded(other), _bounded(one))

    assert bool(there or back) or one.gates == other.gates


@given(st.sampled_from(SIDES), st.randoms(use_true_random=False))
def test_the_order_of_lines_is_irrelevant(side: Baseline, random: object) -> None:
    def shuffled(of: Baseline) -> Baseline:
        head, *lines = render_baseline(of).splitlines()
        random.shuffle(lines)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
        return read_baseline("\n".join([head, *lines]).encode(), file="b")

    expected = loosenings(BASELINE, side)

    assert loosenings(shuffled(BASELINE), shuffled(side)) == expected
    assert expected


@given(st.lists(st.sampled_from([item for example in EXAMPLES for item in loosened(example.now)]), unique=True))
def test_the_hash_is_of_the_set_whatever_its_order(found: list[Loosening]) -> None:
    assert approval_hash(found) == approval_hash(list(reversed(found)))
    assert (approval_hash(found) is None) is (found == [])
    if len(found) > 1:
        assert approval_hash(found) != approval_hash(found[1:])


def test_without_the_held_out_names_a_moved_query_is_told_by_their_number() -> None:
    (moved,) = (example.now for example in EXAMPLES if example.name == "a query held out")

    (found,) = loosenings(BASELINE, moved.baseline)

    assert (found.rule, found.query) == ("loosened-query-held-out", "q3")


def test_every_name_that_is_said_is_given_out_for_the_privacy_check() -> None:
    found = tuple(item for example in EXAMPLES for item in loosened(example.now))

    assert {"q1", "plan", "p1", "x", "path", "lexical", "tag=typo", "ndcg@10", "ANSWERED", "floor"} <= names(found)
    assert not any("text of" in name for name in names(found))
