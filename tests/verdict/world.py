"""One small accepted baseline: two answerable queries in two languages, one without an answer."""

from __future__ import annotations

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.verdict import Verdict
from tests.verdict.factories import (
    baseline,
    failed,
    judged,
    of_kind,
    plan,
    query,
    record,
)

ONE = query("q1", {"a": 3, "b": 1})
TWO = query("q2", {"c": 3}, language="zh")
NONE = query("q3")
PLAN = plan(ONE, TWO, NONE, metrics=("recall@10", "mrr@10", "ndcg@10", "context-recall", "no-answer-fpr"))
GOOD = [record(ONE, {"a": 1, "b": 4}), record(TWO, {"c": 2}), record(NONE, returned=0)]
BEFORE = baseline(PLAN, GOOD)


def now(
    first: QueryRecord | None = None, second: QueryRecord | None = None, none: QueryRecord | None = None
) -> tuple[Verdict, ...]:
    return judged(PLAN, [first or GOOD[0], second or GOOD[1], none or GOOD[2]], BEFORE)


def only(verdicts: tuple[Verdict, ...], kind: str) -> Verdict:
    (verdict,) = of_kind(failed(verdicts), kind)
    return verdict
