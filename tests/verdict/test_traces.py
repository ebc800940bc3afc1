"""The gates of supplied traces: four checks, each apart, and what each failure is called."""

from __future__ import annotations

import pytest

from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import ChunkId, QueryId, UnitId
from retrieval_gate.base.trace import Trace
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.inputs.traces import load_lesson
from retrieval_gate.scoring.traces import trace_record
from retrieval_gate.verdict.kinds import kind_of
from retrieval_gate.verdict.traces import TRACE_CHECKS, TRACE_GATE, judge_traces

UP, NO = State.ANSWERED, State.ABSTAINED


def trace(
    name: str,
    hits: str | None,
    relevant: str = "",
    *,
    forbidden: str = "",
    stale: str = "",
    expected: State | None = UP,
    seen: State | None = UP,
) -> Trace:
    """Chunks are single letters."""
    return Trace(
        id=QueryId(name),
        relevant=tuple(map(UnitId, relevant)),
        forbidden=tuple(map(ChunkId, forbidden)),
        stale=tuple(map(ChunkId, stale)),
        expected=expected,
        observed=seen,
        hits=None if hits is None else tuple(map(ChunkId, hits)),
    )


def judged(*traces: Trace, k: int = 2) -> tuple[Verdict, ...]:
    return judge_traces([trace_record(item) for item in traces], k)


def failed(*traces: Trace, k: int = 2) -> list[tuple[str | None, str]]:
    return [(item.query, item.kind) for item in judged(*traces, k=k) if item.status is Status.FAILED]


def test_the_lesson_fails_in_five_ways_with_five_different_first_actions() -> None:
    found = failed(*load_lesson().traces.traces)
    assert found == [
        ("R2", "permission-leak"),
        ("R3", "stale-evidence"),
        ("R4", "unsupported-answer"),
        ("R5", "over-abstention"),
        ("R1", "incomplete-evidence"),
    ]
    assert len({kind_of(kind).action for _, kind in found}) == 5
    assert all(kind_of(kind).blocking for _, kind in found)


def test_evidence_is_incomplete_between_none_and_all() -> None:
    assert failed(trace("t", "ax", "ab")) == [("t", "incomplete-evidence")]
    assert failed(trace("t", "ab", "ab")) == []
    assert failed(trace("t", "xy", "ab")) == [("t", "no-evidence")]


def test_evidence_beyond_the_cut_off_is_not_there() -> None:
    assert failed(trace("t", "axb", "ab")) == [("t", "incomplete-evidence")]
    assert failed(trace("t", "axb", "ab"), k=3) == []


@pytest.mark.parametrize("expected", [NO, None])
def test_evidence_is_asked_only_of_what_is_to_be_answered(expected: State | None) -> None:
    assert failed(trace("t", "ax", "ab", expected=expected, seen=expected)) == []


def test_a_stale_version_in_place_of_all_evidence_is_one_failure() -> None:
    assert failed(trace("t", "o", "n", stale="o")) == [("t", "stale-evidence")]
    assert failed(trace("t", "no", "nm", stale="o")) == [("t", "stale-evidence"), ("t", "incomplete-evidence")]


def test_one_trace_can_fail_every_check() -> None:
    all_at_once = trace("t", "afs", "ab", forbidden="f", stale="s", seen=NO)
    assert [kind for _, kind in failed(all_at_once)] == [
        "permission-leak",
        "stale-evidence",
        "over-abstention",
        "incomplete-evidence",
    ]


def test_perfect_relevance_excuses_nothing() -> None:
    assert failed(trace("t", "af", "a", forbidden="f")) == [("t", "permission-leak")]
    assert failed(trace("t", "ag", "a", forbidden="f")) == []


def test_the_failure_names_the_chunks_and_the_evidence_that_is_not_there() -> None:
    leak, lost = judged(trace("t", "afg", "abc", forbidden="gfh"))[:2]
    assert (leak.units, leak.value, leak.bound, leak.n, leak.metric) == (("g", "f"), 2, 0, 3, "permission-leaks")
    assert (lost.units, lost.value, lost.bound, lost.n, lost.metric) == (("b", "c"), 1 / 3, 1, 3, "recall@2")


def test_without_labels_nothing_is_green() -> None:
    verdicts = judged(trace("t", "ab", expected=None))
    assert [(item.kind, item.status, item.n) for item in verdicts] == [
        ("permission-leak", Status.NOT_CHECKED, 0),
        ("stale-evidence", Status.NOT_CHECKED, 0),
        ("wrong-state", Status.NOT_CHECKED, 0),
        ("incomplete-evidence", Status.NOT_CHECKED, 0),
    ]


def test_a_state_that_was_not_recorded_is_not_checked() -> None:
    states = [item for item in judged(trace("t", "a", "a", seen=None)) if item.kind == "wrong-state"]
    assert [(item.status, item.n) for item in states] == [(Status.NOT_CHECKED, 0)]


def test_a_check_without_failures_says_over_how_many_labels() -> None:
    verdicts = judged(trace("t", "a", "a", forbidden="xy"), trace("u", "b", "b", forbidden="z", stale="w"))
    passed = {item.kind: item.n for item in verdicts if item.status is Status.PASSED}
    assert passed == {"permission-leak": 3, "stale-evidence": 1, "wrong-state": 2, "incomplete-evidence": 2}


def test_a_trace_that_the_run_does_not_have_fails_once() -> None:
    assert failed(trace("t", None, "a", forbidden="b", seen=None)) == [("t", "trace-missing")]


def test_a_trace_without_labels_fails_by_name_and_one_with_labels_does_not() -> None:
    records = [trace_record(trace("t", "a", "a"))]
    (lost,) = (item for item in judge_traces(records, 2, (QueryId("u"),)) if item.status is Status.FAILED)
    assert (lost.kind, lost.query, lost.n, lost.value, lost.bound) == ("trace-unlabelled", "u", 0, None, None)
    assert all(item.status is not Status.FAILED for item in judge_traces(records, 2))


def test_every_kind_is_named_by_the_gate() -> None:
    given = {check.kind for check in TRACE_CHECKS}
    assert given < set(TRACE_GATE.kinds)
    assert TRACE_GATE.explanation.endswith(".")
    assert all(check.explanation and check.fields and check.unlabelled for check in TRACE_CHECKS)
