"""Two ablations, the second of which reranks for the worse."""

from __future__ import annotations

from retrieval_gate.base.config import Config, GateSpec
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.verdict import Verdict
from retrieval_gate.evaluation.plan import Plan
from tests.verdict.factories import config, judged, plan, query, record

ONE = query("q1", {"a": 3})
TWO = query("q2", {"b": 3}, language="zh")
NONE = query("q3")
PLAN = plan(ONE, TWO, NONE, ablations=("hybrid", "hybrid-rerank"))


def records_of(rerank: int = 1) -> list[QueryRecord]:
    """mrr@10 is 1 for hybrid and 1/rerank for hybrid-rerank; the no-answer query returns something in both."""
    return [
        record(asked, {unit: rank} if unit else {}, ablation=ablation)
        for ablation, rank in (("hybrid", 1), ("hybrid-rerank", rerank))
        for asked, unit in ((ONE, "a"), (TWO, "b"), (NONE, None))
    ]


def verdicts_of(
    *gates: GateSpec, rerank: int = 2, of: Plan = PLAN, settings: Config | None = None
) -> tuple[Verdict, ...]:
    return judged(of, records_of(rerank), settings=settings or config(of, gates=gates))
