"""A supplied trace as the record that every metric is computed from, and the metrics of a trace."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval_gate.base.canonical import short_digest
from retrieval_gate.base.ids import AblationId, ChunkId
from retrieval_gate.base.order import first_occurrences
from retrieval_gate.base.record import JudgedRank, QueryRecord, Shown, Where
from retrieval_gate.base.trace import Trace
from retrieval_gate.scoring.metrics.family import Metric
from retrieval_gate.scoring.metrics.table import parse_metric

# What stands for the retrieval path, which nobody has run.
TRACE = AblationId("trace")
# Reciprocal rank is `mrr` of one query.
_FAMILIES = ("recall", "hit", "precision", "mrr")


def trace_metrics(k: int) -> tuple[Metric, ...]:
    """Recall, hit, precision by what was returned, and reciprocal rank, at cut-off k (1 to 1000)."""
    return tuple(parse_metric(f"{family}@{k}") for family in _FAMILIES)


def trace_record(trace: Trace) -> QueryRecord:
    """The trace against its labels, of which every relevant chunk weighs the same.

    Duplicates are dropped by first occurrence. Forbidden and stale chunks count at any depth. A trace that the run
    does not have is empty, and no label of it was checked.
    """
    hits = trace.hits or ()
    missing = trace.hits is None
    distinct = first_occurrences(hits)
    ranks = {str(hit): rank for rank, hit in enumerate(distinct, start=1)}
    return QueryRecord(
        ablation=TRACE,
        query=trace.id,
        judged=tuple(
            JudgedRank(unit=unit, grade=1, rank=ranks.get(unit), spans=(), lost_at=None) for unit in trace.relevant
        ),
        no_answer=not trace.relevant,
        returned=len(distinct),
        duplicates=len(hits) - len(distinct),
        unlocatable=0,
        matched_characters=None,
        returned_characters=None,
        annotated_characters=None,
        leaks=_shown(trace.forbidden, ranks),
        checked_forbidden=0 if missing else len(trace.forbidden),
        stale=_shown(trace.stale, ranks),
        checked_stale=0 if missing else len(trace.stale),
        expected_state=trace.expected,
        state=trace.observed,
        ranking_digest=short_digest(hits),
        missing=missing,
    )


def _shown(labels: Sequence[ChunkId], ranks: dict[str, int]) -> tuple[Shown, ...]:
    return tuple(Shown(label, Where.HITS) for label in labels if label in ranks)
