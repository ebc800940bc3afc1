"""no-answer-fpr."""

from __future__ import annotations

from retrieval_gate.base.fixture import State
from tests.scoring.build import aggregate, graded, observed, query, ranked, response, value


def test_a_no_answer_query_that_returns_anything_is_a_false_positive() -> None:
    asked = query("q", no_answer=True)
    assert value("no-answer-fpr", ranked(asked, "a")) == 1
    assert value("no-answer-fpr", ranked(asked)) == 0


def test_hits_count_even_where_the_state_is_abstained() -> None:
    asked = query("q", no_answer=True, expected_state=State.ABSTAINED)
    scored = observed(asked, response(["a"], state=State.ABSTAINED))
    assert value("no-answer-fpr", scored) == 1
    assert value("wrong-state", scored) == 0


def test_answerable_queries_are_outside_the_rate_in_any_order() -> None:
    """Case 23: a no-answer query first is no division by zero."""
    answered, quiet, loud = (
        ranked(graded("q1", a=1), "a"),
        ranked(query("q2", no_answer=True)),
        ranked(query("q3", no_answer=True), "x"),
    )
    assert value("no-answer-fpr", answered) is None
    assert aggregate("no-answer-fpr", quiet, answered, loud) == (0.5, 2)
    assert aggregate("recall@5", quiet, answered, loud) == (1, 1)
    assert aggregate("no-answer-fpr", answered) == (None, 0)
