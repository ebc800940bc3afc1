"""Rows from records."""

from __future__ import annotations

from retrieval_gate.base.ids import QueryId, SliceId
from retrieval_gate.inputs.config.defaults import DEFAULT_METRICS
from retrieval_gate.scoring.metrics.table import parse_metric
from retrieval_gate.scoring.rows import rows
from retrieval_gate.scoring.slices import Slice
from tests.scoring.build import record

RECALL, MRR = parse_metric("recall@5"), parse_metric("mrr@10")
Q1 = record("q1", judged={"a": (3, 1), "b": (1, None)})
Q2 = record("q2", judged={"a": (3, 4)})
Q3 = record("q3", no_answer=True)


def group(name: str, *queries: str) -> Slice:
    return Slice(id=SliceId(name), queries=tuple(QueryId(query) for query in queries))


ALL, EN, EMPTY = group("all", "q1", "q2", "q3"), group("language=en", "q2", "q3"), group("tag=none")


def test_there_is_a_row_for_each_slice_and_metric_in_order() -> None:
    found = rows([Q1, Q2, Q3], (RECALL, MRR), (ALL, EN))
    assert [(row.slice, row.metric, row.value, row.n) for row in found] == [
        ("all", "recall@5", 0.75, 2),
        ("all", "mrr@10", 0.625, 2),
        ("language=en", "recall@5", 1, 1),
        ("language=en", "mrr@10", 0.25, 1),
    ]


def test_ablations_are_scored_apart_in_order_of_their_records() -> None:
    other = record("q1", judged={"a": (3, None), "b": (1, None)}, ablation="hybrid")
    found = rows([other, Q1, Q2], (RECALL,), (ALL,))
    assert [(row.ablation, row.value, row.n) for row in found] == [("hybrid", 0, 1), ("lexical", 0.75, 2)]


def test_a_slice_without_records_is_not_measured() -> None:
    """Case 16 and 14: nothing to average is None with n 0, never an exception or a number."""
    (row,) = rows([Q1], (RECALL,), (EMPTY,))
    assert (row.value, row.n) == (None, 0)
    assert rows([], (RECALL,), (ALL,)) == ()


def test_part_of_the_records_gives_the_values_of_that_part() -> None:
    """What a comparison over shared queries needs; joined by id (cases 52 and 62), not by position."""
    (row,) = rows([Q2, Q1], (RECALL,), (group("language=en", "q2"),))
    assert (row.value, row.n) == (1, 1)


def test_the_order_of_records_changes_no_value() -> None:
    """Cases 6 and 23."""
    metrics = tuple(parse_metric(name) for name in DEFAULT_METRICS)
    assert rows([Q1, Q2, Q3], metrics, (ALL, EN)) == rows([Q3, Q2, Q1], metrics, (ALL, EN))


def test_no_value_is_ever_nan() -> None:
    """Case 47: an empty denominator is None."""
    metrics = tuple(parse_metric(name) for name in DEFAULT_METRICS)
    values = [row.value for row in rows([Q3], metrics, (ALL, EMPTY))]
    assert all(value is None or value == value for value in values)
    assert values.count(None) == len(values) - 1  # only no-answer-fpr over all is measured
