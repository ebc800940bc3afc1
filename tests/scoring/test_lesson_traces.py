"""The five traces of the second seed, R1 to R5, at k = 2, and the repair of R2."""

from __future__ import annotations

import pytest

from retrieval_gate.base.fixture import State
from retrieval_gate.base.record import QueryRecord
from tests.scoring.build import judgment, observed, query, response, value


def trace(
    name: str,
    hits: tuple[str, ...],
    relevant: tuple[str, ...],
    *,
    forbidden: tuple[str, ...] = (),
    stale: tuple[str, ...] = (),
    expected: State = State.ANSWERED,
    seen: State = State.ANSWERED,
) -> QueryRecord:
    labels = [judgment(chunk, 1) for chunk in relevant]
    asked = query(name, *labels, no_answer=not relevant, forbidden=forbidden, stale=stale, expected_state=expected)
    return observed(asked, response(hits, state=seen))


R1 = trace("R1", ("rule", "noise"), ("rule", "exception"))
R2 = trace("R2", ("manager-limit", "public-refund"), ("public-refund",), forbidden=("manager-limit",))
R2_REPAIRED = trace("R2", ("public-refund",), ("public-refund",), forbidden=("manager-limit",))
R3 = trace("R3", ("A2",), ("A3",), stale=("A2",))
R4 = trace("R4", ("T3",), (), expected=State.ABSTAINED)
R5 = trace("R5", ("T3",), ("T3",), seen=State.ABSTAINED)


@pytest.mark.parametrize(
    ("scored", "recall", "hit", "precision", "reciprocal_rank"),
    [
        (R1, 0.5, 1, 0.5, 1),
        (R2, 1, 1, 0.5, 0.5),
        (R2_REPAIRED, 1, 1, 1, 1),
        (R3, 0, 0, 0, 0),
        (R4, None, None, 0, None),
        (R5, 1, 1, 1, 1),
    ],
    ids=["R1", "R2", "R2 repaired", "R3", "R4", "R5"],
)
def test_relevance_of_each_trace(
    scored: QueryRecord, recall: float | None, hit: float | None, precision: float, reciprocal_rank: float | None
) -> None:
    assert value("recall@2", scored) == recall
    assert value("hit@2", scored) == hit
    assert value("precision@2", scored) == precision
    assert value("mrr@2", scored) == reciprocal_rank


@pytest.mark.parametrize(
    ("scored", "leaks", "stale", "wrong"),
    [
        (R1, None, None, 0),
        (R2, 1, None, 0),
        (R2_REPAIRED, 0, None, 0),
        (R3, None, 1, 0),
        (R4, None, None, 1),
        (R5, None, None, 1),
    ],
    ids=["R1", "R2", "R2 repaired", "R3", "R4", "R5"],
)
def test_policy_of_each_trace_is_apart_from_relevance(
    scored: QueryRecord, leaks: float | None, stale: float | None, wrong: float
) -> None:
    assert value("permission-leaks", scored) == leaks
    assert value("stale-evidence", scored) == stale
    assert value("wrong-state", scored) == wrong
