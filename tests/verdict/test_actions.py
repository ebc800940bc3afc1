"""The first action names the cause where the kind alone does not."""

from __future__ import annotations

import pytest

from retrieval_gate.base.ids import MetricId, SliceId
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.actions import action_of
from retrieval_gate.verdict.kinds import KINDS, kind_of
from retrieval_gate.verdict.scenario_kinds import CHECKS, FINDINGS


def failure(kind: str, *, metric: str | None = None, part: str | None = None, n: int | None = None) -> Verdict:
    return Verdict(
        kind=kind,
        status=Status.FAILED,
        metric=None if metric is None else MetricId(metric),
        slice=None if part is None else SliceId(part),
        n=n,
    )


@pytest.mark.parametrize("metric", ["permission-leaks", "stale-evidence"])
def test_fewer_checks_of_leaks_point_to_the_policy_and_fewer_queries_do_not(metric: str) -> None:
    assert "--base-baseline" in action_of(failure("n-dropped", metric=metric))
    assert action_of(failure("n-dropped", metric="mrr@10")) == kind_of("n-dropped").action


@pytest.mark.parametrize(
    ("forgotten", "other"),
    [
        (failure("slice-gone", part="split=heldout"), failure("slice-gone", part="language=zh")),
        (failure("label-edited", part="split=heldout", n=0), failure("label-edited", part="split=heldout", n=3)),
    ],
)
def test_a_held_out_file_that_was_left_out_is_asked_for(forgotten: Verdict, other: Verdict) -> None:
    assert "--held-out FILE" in action_of(forgotten)
    assert action_of(other) == kind_of(other.kind).action


@pytest.mark.parametrize("kind", ["unsupported-answer", "over-abstention"])
def test_a_wrong_state_may_be_waived_and_a_leak_may_not(kind: str) -> None:
    assert action_of(failure(kind)) == f"{kind_of(kind).action}; or waive the query until a date: [[waivers]]"
    assert "waive" not in action_of(failure("permission-leak"))


def test_every_finding_of_scenarios_fails_a_row_of_their_checks() -> None:
    assert {kind for row in CHECKS for kind in row.failures} == {row.id for row in FINDINGS}


def test_what_a_row_says_to_block_does() -> None:
    for kind in KINDS:
        assert not (kind.failures and kind.blocking)
        assert all(kind_of(failing).blocking for failing in kind.failures)
