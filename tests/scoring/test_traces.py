"""Supplied traces as records: ranks, duplicates, labels at any depth, and the values that the lesson gives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import ChunkId, QueryId, UnitId
from retrieval_gate.base.trace import Trace
from retrieval_gate.inputs.traces import load_lesson
from retrieval_gate.scoring.traces import TRACE, trace_metrics, trace_record
from tests.scoring.build import judgment, observed, query, response, value

LESSON = {trace.id: trace for trace in load_lesson().traces.traces}
Values = tuple[float | None, ...]


def trace(
    hits: tuple[str, ...] | None,
    relevant: tuple[str, ...] = (),
    *,
    forbidden: tuple[str, ...] = (),
    stale: tuple[str, ...] = (),
) -> Trace:
    return Trace(
        id=QueryId("t"),
        relevant=tuple(map(UnitId, relevant)),
        forbidden=tuple(map(ChunkId, forbidden)),
        stale=tuple(map(ChunkId, stale)),
        expected=None,
        observed=None,
        hits=None if hits is None else tuple(map(ChunkId, hits)),
    )


def _values(made: Trace, k: int = 2) -> Values:
    record = trace_record(made)
    return tuple(metric.value(record) for metric in trace_metrics(k))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("R1", (0.5, 1, 0.5, 1)),
        ("R2", (1, 1, 0.5, 0.5)),
        ("R3", (0, 0, 0, 0)),
        ("R4", (None, None, 0, None)),
        ("R5", (1, 1, 1, 1)),
    ],
)
def test_recall_hit_precision_and_reciprocal_rank_of_the_lesson(name: str, expected: Values) -> None:
    assert _values(LESSON[QueryId(name)]) == expected


def test_the_repair_of_r2_makes_all_four_1() -> None:
    assert _values(replace(LESSON[QueryId("R2")], hits=(ChunkId("public-refund"),))) == (1, 1, 1, 1)


def test_duplicates_are_dropped_before_the_cut_off() -> None:
    assert _values(trace(("a", "a", "b"), ("b",))) == (1, 1, 0.5, 0.5)
    assert trace_record(trace(("a", "a", "b"))).duplicates == 1


def test_precision_is_null_only_where_nothing_was_returned() -> None:
    assert _values(trace((), ("a",))) == (0, 0, None, 0)
    assert _values(trace(())) == (None, None, None, None)
    assert _values(trace(("z",))) == (None, None, 0, None)


def test_relevance_is_cut_at_k_and_a_leak_is_found_at_any_depth() -> None:
    deep = trace(("x", "y", "a", "leak"), ("a",), forbidden=("leak",), stale=("y", "gone"))
    assert _values(deep) == (0, 0, 0, 0)
    assert _values(deep, k=3) == (1, 1, 1 / 3, 1 / 3)
    record = trace_record(deep)
    assert ([shown.chunk for shown in record.leaks], record.checked_forbidden) == (["leak"], 1)
    assert ([shown.chunk for shown in record.stale], record.checked_stale) == (["y"], 2)


def test_of_a_trace_that_the_run_does_not_have_nothing_was_checked() -> None:
    record = trace_record(trace(None, ("a",), forbidden=("b",), stale=("c",)))
    assert (record.missing, record.checked_forbidden, record.checked_stale) == (True, 0, 0)
    assert value("recall@2", record) == 0


_IDS = st.lists(st.sampled_from("abcde"), max_size=6)


@given(hits=_IDS, relevant=_IDS.map(set), forbidden=_IDS.map(set), stale=_IDS.map(set), k=st.integers(1, 6))
def test_a_trace_scores_as_the_same_list_from_a_retriever(
    hits: list[str], relevant: set[str], forbidden: set[str], stale: set[str], k: int
) -> None:
    labels = tuple(sorted(relevant))
    forbidden, stale = forbidden - relevant, stale - relevant
    made = trace(tuple(hits), labels, forbidden=tuple(sorted(forbidden)), stale=tuple(sorted(stale)))
    asked = query(
        "t",
        *(judgment(chunk, 1) for chunk in labels),
        no_answer=not labels,
        forbidden=sorted(forbidden),
        stale=sorted(stale),
        expected_state=State.ANSWERED,
    )
    seen = observed(asked, response(hits, state=State.ANSWERED))
    own = trace_record(replace(made, expected=State.ANSWERED, observed=State.ANSWERED))
    assert own == replace(
        seen,
        ablation=TRACE,
        unlocatable=0,
        matched_characters=None,
        returned_characters=None,
        annotated_characters=None,
    )
    assert all(metric.value(own) == metric.value(seen) for metric in trace_metrics(k))
