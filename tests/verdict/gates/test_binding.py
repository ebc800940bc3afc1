from __future__ import annotations

from dataclasses import replace
from datetime import date
from math import inf, nan

import pytest

from retrieval_gate.base.config import Allowance, Config, GateKind, Waiver
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId
from retrieval_gate.verdict.gates.binding import check_gates
from tests.verdict.factories import config, gate, plan, query

PLAN = plan(query("q1", {"a": 3}), ablations=("hybrid", "lexical"))
GOOD = config(PLAN, gates=(gate(GateKind.FLOOR, "mrr@10", 0.5),))
ANY = Allowance(metric=None, ablation=None, slice=None, max_drop=0.1)
WAIVER = Waiver(query=QueryId("q1"), reason="known", expires=date(2026, 1, 1))


def _code(settings: Config) -> str:
    with pytest.raises(ConfigError) as caught:
        check_gates(settings)
    return caught.value.code


@pytest.mark.parametrize(
    "settings",
    [
        GOOD,
        replace(GOOD, gates=(gate(GateKind.MAX_BELOW, "mrr@10", 0.05, reference="lexical"),)),
        replace(GOOD, gates=(gate(GateKind.FLOOR, "mrr@10", 0.5, group="language=fr"),)),
        replace(GOOD, gates=(gate(GateKind.FLOOR, "mrr@10", 0.5), gate(GateKind.CEILING, "mrr@10", 0.9))),
        replace(GOOD, allowances=(ANY,), waivers=(WAIVER,)),
    ],
)
def test_what_can_be_judged_is_accepted(settings: Config) -> None:
    check_gates(settings)
    assert settings.gates


@pytest.mark.parametrize("bound", [nan, inf, -inf])
def test_a_bound_that_is_not_finite_is_refused(bound: float) -> None:
    assert _code(replace(GOOD, gates=(gate(GateKind.FLOOR, "mrr@10", bound),))) == "bad-bound"


@pytest.mark.parametrize("value", [nan, inf, -0.01])
def test_a_tolerance_that_is_negative_or_not_finite_is_refused(value: float) -> None:
    assert _code(replace(GOOD, max_drop=value)) == "bad-bound"
    assert _code(replace(GOOD, slack=value)) == "bad-bound"
    assert _code(replace(GOOD, allowances=(replace(ANY, max_drop=value),))) == "bad-bound"


def test_a_misspelt_ablation_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match="nearest is lexical"):
        check_gates(replace(GOOD, gates=(gate(GateKind.FLOOR, "mrr@10", 0.5, ablation="lexcial"),)))


def test_unknown_names_are_refused_wherever_they_stand() -> None:
    unknown = AblationId("other")

    assert _code(replace(GOOD, gates=(gate(GateKind.FLOOR, "bleu", 0.5),))) == "unknown-metric"
    assert _code(replace(GOOD, allowances=(replace(ANY, metric=MetricId("bleu")),))) == "unknown-metric"
    assert _code(replace(GOOD, allowances=(replace(ANY, ablation=unknown),))) == "unknown-ablation"
    assert (
        _code(replace(GOOD, gates=(gate(GateKind.MAX_BELOW, "mrr@10", 0.1, reference="other"),)))
        == "unknown-ablation"
    )


@pytest.mark.parametrize(
    ("kind", "reference"),
    [(GateKind.MAX_BELOW, None), (GateKind.MAX_BELOW, "hybrid"), (GateKind.FLOOR, "lexical")],
)
def test_a_reference_is_needed_by_a_distance_only_and_is_another_ablation(
    kind: GateKind, reference: str | None
) -> None:
    assert _code(replace(GOOD, gates=(gate(kind, "mrr@10", 0.1, reference=reference),))) == "bad-reference"


def test_the_same_gate_allowance_or_waiver_twice_is_refused() -> None:
    twice = (gate(GateKind.FLOOR, "mrr@10", 0.5), gate(GateKind.FLOOR, "mrr@10", 0.1))

    assert _code(replace(GOOD, gates=twice)) == "duplicate-gate"
    assert _code(replace(GOOD, allowances=(ANY, ANY))) == "duplicate-gate"
    assert _code(replace(GOOD, waivers=(WAIVER, WAIVER))) == "duplicate-gate"


@pytest.mark.parametrize(
    ("group", "nearest"),
    [("principal=ann", "principal-class"), ("lang=en", "language"), ("al", "all"), ("x=y", "")],
)
def test_a_slice_of_a_kind_that_does_not_exist_is_refused_with_the_nearest(group: str, nearest: str) -> None:
    settings = replace(GOOD, gates=(gate(GateKind.FLOOR, "mrr@10", 0.5, group=group),))
    with pytest.raises(ConfigError) as caught:
        check_gates(settings)
    assert caught.value.code == "unknown-slice"
    assert (f"the nearest is {nearest}" in str(caught.value)) == bool(nearest)
    allowed = replace(GOOD, allowances=(replace(ANY, slice=SliceId(group)),))
    assert _code(allowed) == "unknown-slice"


@pytest.mark.parametrize("group", ["all", "language=fr", "split=heldout", "tag=any", "principal-class=clerk+boss"])
def test_a_slice_of_a_known_kind_may_be_empty_here(group: str) -> None:
    check_gates(replace(GOOD, gates=(gate(GateKind.FLOOR, "mrr@10", 0.5, group=group),)))
    assert group
