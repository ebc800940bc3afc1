"""Records to rows: the same function for this run, and for any part of a committed baseline's records."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.scores import Row
from retrieval_gate.scoring.metrics.family import Metric
from retrieval_gate.scoring.slices import Slice


def rows(records: Sequence[QueryRecord], metrics: Sequence[Metric], slices: Sequence[Slice]) -> tuple[Row, ...]:
    """One row per ablation (in order of first record), slice and metric, also where nothing is measured.

    A query of a slice that has no record is simply not there: to score it as empty, pass its missing record.
    """
    members = tuple(frozenset(group.queries) for group in slices)
    result: list[Row] = []
    for ablation, own in _by_ablation(records).items():
        places = [[at for at, record in enumerate(own) if record.query in queries] for queries in members]
        parts = [metric.parts(own) for metric in metrics]
        for group, indices in zip(slices, places, strict=True):
            for metric, column in zip(metrics, parts, strict=True):
                value, n = metric.pooled([column[at] for at in indices])
                result.append(Row(ablation=ablation, slice=group.id, metric=metric.id, value=value, n=n))
    return tuple(result)


def _by_ablation(records: Sequence[QueryRecord]) -> dict[AblationId, list[QueryRecord]]:
    groups: dict[AblationId, list[QueryRecord]] = {}
    for record in records:
        groups.setdefault(record.ablation, []).append(record)
    return groups
