from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.config import GateKind
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.verdict import Status
from retrieval_gate.verdict.gates.table import GATES
from retrieval_gate.verdict.kinds import KINDS, kind_of, severity
from retrieval_gate.verdict.traces import TRACE_GATE
from tests.verdict.factories import baseline, config, gate, judged, kinds, plan, query, record

ONE = query("q1", {"a": 3}, forbidden=("x",))
TWO = query("q2", {"b": 3})
THREE = query("q3", {"c": 3})
PLAN = plan(ONE, TWO, THREE, metrics=("mrr@10",))
BEFORE = baseline(PLAN, [record(ONE, {"a": 1}), record(TWO, {"b": 1}), record(THREE, {"c": 1})])
BAD = [record(ONE, {"a": 2}, leaks=("x",)), record(TWO, {"b": 2}), record(THREE, {"c": 5})]
SETTINGS = config(PLAN, gates=(gate(GateKind.FLOOR, "mrr@10", 0.9), gate(GateKind.CEILING, "mrr@10", 0.9)))


def test_failures_come_first_the_worst_of_them_first() -> None:
    verdicts = judged(PLAN, BAD, BEFORE, SETTINGS)

    assert list(dict.fromkeys(kinds(verdicts))) == [
        "permission-leak",
        "floor",
        "rank-worsened",
        "no-drop",
        "stale-evidence",
        "bad-citation",
        "wrong-state",
        "scenarios",
        "bounds-changed",
        "ceiling",
        "completeness",
        "labels",
    ]


def test_within_a_kind_the_larger_damage_comes_first_then_the_fixture_order() -> None:
    ranked = [item.query for item in judged(PLAN, BAD, BEFORE) if item.kind == "rank-worsened"]

    assert ranked == ["q3", "q1", "q2"]


def test_statuses_are_ordered() -> None:
    statuses = [item.status for item in judged(PLAN, BAD, BEFORE, SETTINGS)]

    assert list(dict.fromkeys(statuses)) == [Status.FAILED, Status.NOT_CHECKED, Status.NOTE, Status.PASSED]


@given(st.permutations(BAD))
def test_the_order_of_records_moves_no_verdict(records: list[QueryRecord]) -> None:
    assert judged(PLAN, records, BEFORE, SETTINGS) == judged(PLAN, BAD, BEFORE, SETTINGS)


def test_every_kind_that_a_rule_can_give_has_a_row_and_every_row_a_rule() -> None:
    given_by_rules = {kind for rule in GATES for kind in rule.kinds} | set(TRACE_GATE.kinds)

    assert given_by_rules == {kind.id for kind in KINDS}


def test_kinds_and_rules_are_documented_and_named_once() -> None:
    assert len({kind.id for kind in KINDS}) == len(KINDS)
    assert len({rule.id for rule in GATES}) == len(GATES)
    assert all(kind.explanation.endswith(".") and kind.action and kind.title for kind in KINDS)
    assert all(rule.explanation.endswith(".") for rule in GATES)


def test_severity_is_the_place_in_the_table() -> None:
    assert [severity(kind.id) for kind in KINDS] == list(range(len(KINDS)))
    assert KINDS[0].id == "permission-leak"


def test_only_blocking_kinds_fail() -> None:
    verdicts = judged(PLAN, BAD, BEFORE, SETTINGS)

    assert all(kind_of(item.kind).blocking for item in verdicts if item.status is Status.FAILED)


def test_the_five_faults_of_the_second_seed_have_different_first_actions() -> None:
    faults = ("permission-leak", "stale-evidence", "unsupported-answer", "over-abstention")

    assert len({kind_of(kind).action for kind in faults}) == len(faults)
