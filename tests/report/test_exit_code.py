"""The exit code is a function of the report, and the strongest cause wins."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from retrieval_gate.base.errors import UsageError
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.verdict import Status
from retrieval_gate.report.report import (
    NO_BASELINE,
    BaselineStatus,
    FailOn,
    blocking,
    check_label,
    exit_code,
    exit_codes,
    warned,
)
from retrieval_gate.verdict.loosening import LOOSENINGS
from retrieval_gate.verdict.scenario_kinds import FINDINGS
from tests.report.rich import FAILED, LOOSENED, NOT_CHECKED, NOTES, PASSED
from tests.report.samples import DIFFERENCES, MATCHED, RETRIEVER_FAILURES, a_report, rows


def test_a_run_whose_gates_pass_exits_0() -> None:
    assert exit_codes(a_report(*PASSED)) == (ExitCode.PASS,)


def test_one_failed_gate_exits_1() -> None:
    assert exit_codes(a_report(*PASSED, FAILED[-1])) == (ExitCode.GATE_FAILED,)


def test_notes_and_gates_that_could_not_be_checked_are_not_red() -> None:
    assert exit_code(a_report(*PASSED, *NOTES, *NOT_CHECKED)) is ExitCode.PASS


def test_two_runs_that_differ_exit_3_but_a_tolerated_tie_does_not() -> None:
    red, tolerated = DIFFERENCES
    assert exit_code(a_report(differences=(red,))) is ExitCode.NOT_DETERMINISTIC
    assert exit_code(a_report(differences=(tolerated,))) is ExitCode.PASS


def test_a_retriever_that_failed_exits_5() -> None:
    assert exit_code(a_report(failures=RETRIEVER_FAILURES)) is ExitCode.RETRIEVER_FAILED


def test_a_missing_baseline_exits_4_unless_it_is_allowed() -> None:
    assert exit_code(a_report(*PASSED, baseline=NO_BASELINE)) is ExitCode.NOTHING_COMPARABLE
    assert exit_code(a_report(*PASSED, baseline=NO_BASELINE, allow_missing_baseline=True)) is ExitCode.PASS


def test_a_baseline_that_shares_nothing_exits_4_even_where_a_missing_one_is_allowed() -> None:
    apart = replace(MATCHED, comparable=False, shared=0)
    assert exit_code(a_report(baseline=apart, allow_missing_baseline=True)) is ExitCode.NOTHING_COMPARABLE


def test_nothing_measured_is_never_green() -> None:
    nothing = tuple(replace(row, value=None, n=0) for row in rows())
    assert exit_code(a_report(measured=())) is ExitCode.NOTHING_COMPARABLE
    assert exit_code(a_report(*PASSED, measured=nothing, baseline=NO_BASELINE, allow_missing_baseline=True)) is (
        ExitCode.NOTHING_COMPARABLE
    )


@pytest.mark.parametrize(("failed", "differs", "gate", "missing"), list(product((False, True), repeat=4)))
def test_every_cause_is_listed_and_the_order_is_5_3_1_4(
    failed: bool, differs: bool, gate: bool, missing: bool
) -> None:
    report = a_report(
        *(FAILED[:1] if gate else ()),
        failures=RETRIEVER_FAILURES if failed else (),
        differences=DIFFERENCES if differs else (),
        baseline=NO_BASELINE if missing else MATCHED,
    )
    holding = [code for code, holds in ((5, failed), (3, differs), (1, gate), (4, missing)) if holds]
    assert [int(code) for code in exit_codes(report)] == (holding or [0])
    assert int(exit_code(report)) == (holding or [0])[0]


def test_every_failed_kind_turns_the_run_red_alone() -> None:
    for verdict in FAILED:
        assert verdict.status is Status.FAILED
        assert exit_code(a_report(verdict)) is ExitCode.GATE_FAILED


@pytest.mark.parametrize("label", ["python-3.12", "matrix/leg_2", "a" * 128])
def test_a_plain_label_is_taken(label: str) -> None:
    assert check_label(label) == label


@pytest.mark.parametrize("label", ["", "two words", "a" * 129, "a\nb", "::error::x", "<b>", "a..b", "标签"])
def test_a_label_that_could_mean_something_elsewhere_is_refused(label: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_label(label)
    assert caught.value.code == "bad-label"
    assert not label or label not in str(caught.value)


@pytest.mark.parametrize(("fail_on", "leak", "drop"), [("regression", 1, 1), ("violation", 1, 0), ("never", 0, 0)])
def test_fail_on_says_which_failed_gates_block(fail_on: str, leak: int, drop: int) -> None:
    for verdict, code in ((FAILED[0], leak), (FAILED[-1], drop)):
        report = replace(a_report(verdict), fail_on=FailOn(fail_on))
        assert exit_code(report) == code
        assert blocking(report) == ((verdict,) if code else ())
        assert warned(report) == (() if code else (verdict,))


def test_violations_are_leaks_stale_evidence_wrong_states_what_scenarios_find_and_loosening() -> None:
    report = replace(a_report(*FAILED), fail_on=FailOn.VIOLATION)
    wrong = ["permission-leak", "stale-evidence", "bad-citation", "unsupported-answer", "over-abstention"]
    found = [row.id for row in FINDINGS]
    assert [verdict.kind for verdict in blocking(report)] == [*wrong, *found, *(rule.id for rule in LOOSENINGS)]
    assert exit_codes(report) == (ExitCode.GATE_FAILED,)


@pytest.mark.parametrize("fail_on", FailOn)
def test_no_fail_on_turns_what_could_not_be_judged_green(fail_on: FailOn) -> None:
    for report, code in (
        (a_report(*FAILED, failures=RETRIEVER_FAILURES), ExitCode.RETRIEVER_FAILED),
        (a_report(*FAILED, differences=DIFFERENCES), ExitCode.NOT_DETERMINISTIC),
        (a_report(*PASSED, baseline=NO_BASELINE), ExitCode.NOTHING_COMPARABLE),
    ):
        assert exit_code(replace(report, fail_on=fail_on)) is code


def test_a_loosened_baseline_is_compared_like_any_other() -> None:
    loosened = replace(MATCHED, status=BaselineStatus.LOOSENED, loosening_hash="0123456789abcdef")
    assert exit_code(a_report(*PASSED, baseline=loosened)) is ExitCode.PASS
    assert exit_code(a_report(LOOSENED[0], baseline=loosened)) is ExitCode.GATE_FAILED
