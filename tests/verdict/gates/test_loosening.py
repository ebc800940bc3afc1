"""A pull request can not approve itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from retrieval_gate.base.config import GateKind, Waiver
from retrieval_gate.base.fixture import Split
from retrieval_gate.base.verdict import Status
from retrieval_gate.verdict.accepted import Baseline
from retrieval_gate.verdict.case import Case, make_case
from retrieval_gate.verdict.kinds import kind_of
from retrieval_gate.verdict.loosening import LOOSENINGS, approval_hash
from tests.verdict.factories import evaluation, gate, of_kind, query
from tests.verdict.loosening.world import (
    BASE,
    GATES,
    HIDDEN,
    NONE,
    ONE,
    TWO,
    WAIVER,
    Branch,
    branch,
    loosened,
    red,
    verdicts,
    with_query,
)

LOWER = (replace(GATES[0], bound=0.1), *GATES[1:])
LOOSER = branch(gates=LOWER, max_drop=0.5)


def _case(now: Branch, base: Baseline | None, approve: str | None = None) -> Case:
    return make_case(now.plan, now.config, evaluation(now.plan, now.measured), None, base=base, approve=approve)


def test_without_a_base_branch_nothing_is_checked_and_nothing_is_said() -> None:
    case = _case(LOOSER, None, approve="0123456789abcdef")

    assert (case.loosenings, case.approval) == ((), None)


def test_it_is_judged_without_a_committed_baseline_too() -> None:
    """Deleting the committed baseline approves nothing."""
    case = _case(LOOSER, BASE.baseline)

    assert [item.rule for item in case.loosenings] == ["loosened-floor", "loosened-max-drop"]


def test_the_hash_is_there_for_the_report() -> None:
    approval = _case(LOOSER, BASE.baseline).approval

    assert approval is not None
    assert (approval.hash, approval.count) == (approval_hash(loosened(LOOSER)), 2)
    assert (approval.approved, approval.stale) == (False, False)
    assert len(approval.hash) == 16


@pytest.mark.parametrize("write", [str, str.upper, lambda text: f" {text}\n"])
def test_an_approval_may_be_written_in_capitals_or_with_space_around_it(write: type[str]) -> None:
    approval = _case(LOOSER, BASE.baseline, approve=write(approval_hash(loosened(LOOSER)))).approval

    assert approval is not None
    assert (approval.approved, approval.stale) == (True, False)


@pytest.mark.parametrize("nothing", ["", "  "])
def test_an_empty_approval_is_none_at_all(nothing: str) -> None:
    approval = _case(LOOSER, BASE.baseline, approve=nothing).approval

    assert approval is not None
    assert (approval.approved, approval.stale) == (False, False)


def test_the_approval_of_one_loosening_does_not_cover_one_more() -> None:
    approved = approval_hash(loosened(branch(gates=LOWER)))

    found = verdicts(LOOSER, approve=approved)

    assert [item.kind for item in red(found)] == ["loosened-floor", "loosened-max-drop"]
    assert len(of_kind(found, "approval-stale")) == 1


def test_the_approval_of_a_bound_does_not_cover_a_lower_one() -> None:
    lower = branch(gates=(replace(GATES[0], bound=0.2), *GATES[1:]))

    found = verdicts(branch(gates=LOWER), approve=approval_hash(loosened(lower)))

    assert [(item.kind, item.baseline, item.value) for item in red(found)] == [("loosened-floor", 0.7, 0.1)]


def test_an_approval_that_is_left_over_does_no_harm() -> None:
    found = verdicts(BASE, approve="0123456789abcdef")

    assert red(found) == []
    assert of_kind(found, "approval-stale") == []


def test_an_approval_of_the_loosening_excuses_nothing_else() -> None:
    missed = (*LOWER, gate(GateKind.FLOOR, "recall@10", 1.1))
    now = branch(gates=missed)

    found = verdicts(now, approve=approval_hash(loosened(now)))

    assert [item.kind for item in found if item.status is Status.FAILED] == ["floor"]


def test_a_baseline_file_that_is_looser_than_the_run_is_red() -> None:
    """Merged as it is, it would be the base branch of the next pull request."""
    worse = branch(records=tuple(replace(item, state=None) for item in BASE.measured), gates=LOWER)

    found = red(verdicts(BASE, committed=worse.baseline))

    assert {(item.kind, item.detail) for item in found} == {
        ("loosened-baseline", "loosened-floor"),
        ("loosened-baseline", "loosened-state-not-given"),
    }


def test_a_baseline_file_without_a_query_is_red_though_the_query_is_run() -> None:
    found = red(verdicts(BASE, committed=with_query(NONE).baseline))

    assert [(item.kind, item.detail, item.query) for item in found] == [
        ("loosened-baseline", "loosened-query-gone", "q3")
    ]


def test_what_run_and_baseline_file_loosen_alike_is_told_once() -> None:
    found = red(verdicts(LOOSER, committed=LOOSER.baseline))

    assert [item.kind for item in found] == ["loosened-floor", "loosened-max-drop"]


def test_a_baseline_file_that_asks_for_more_is_green() -> None:
    stricter = branch(gates=(replace(GATES[0], bound=0.8), *GATES[1:]), max_drop=0.0)

    assert red(verdicts(BASE, committed=stricter.baseline)) == []


def test_a_held_out_query_is_never_named() -> None:
    now = branch(waivers=(WAIVER, Waiver(query=HIDDEN.id, reason="known", expires=date(2027, 1, 1))))

    (failure,) = red(verdicts(now))

    assert (failure.kind, failure.query, failure.slice) == ("loosened-waiver-added", None, "split=heldout")


def test_a_query_that_was_moved_to_the_held_out_split_is_named() -> None:
    failures = red(verdicts(with_query(TWO, replace(TWO, split=Split.HELDOUT))))

    moved = [item.query for item in failures if item.kind == "loosened-query-held-out"]
    assert moved == ["q2"]


def test_values_and_names_are_shown() -> None:
    now = branch(gates=(GATES[0], GATES[1], replace(GATES[2], bound=0.5)))

    (failure,) = red(verdicts(now))

    assert (failure.kind, failure.ablation, failure.metric, failure.detail) == (
        "loosened-max-below",
        "hybrid",
        "mrr@10",
        "lexical",
    )
    assert (failure.baseline, failure.value) == (0.05, 0.5)


def test_the_worst_comes_first() -> None:
    eased = replace(ONE, forbidden=ONE.forbidden[:1], judgments=ONE.judgments[:1])
    now = replace(with_query(ONE, eased), gates=LOWER, max_drop=0.5)

    found = [item.kind for item in red(verdicts(now))]

    assert found == [
        "loosened-forbidden-gone",
        "loosened-floor",
        "loosened-max-drop",
        "loosened-judgment-gone",
    ]


def test_every_rule_is_a_violation_that_blocks() -> None:
    kinds = [kind_of(rule.id) for rule in LOOSENINGS]

    assert all(kind.violation and kind.blocking for kind in kinds)


def test_rules_are_documented_and_named_once() -> None:
    assert len({rule.id for rule in LOOSENINGS}) == len(LOOSENINGS)
    assert all(rule.explanation.endswith(".") and rule.title for rule in LOOSENINGS)


def test_thousands_of_loosenings_are_all_told() -> None:
    """The base branch has two thousand queries more."""
    many = tuple(query(f"m{number:04}", {"a": 3}) for number in range(2_000))
    base = with_query(NONE, NONE, *many)

    found = red(verdicts(BASE, base=base.baseline))

    assert [item.query for item in found] == [asked.id for asked in many]
