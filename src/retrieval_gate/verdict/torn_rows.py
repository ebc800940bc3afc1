"""The rows of a baseline against its own records."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval_gate.base.ids import QueryId, SliceId
from retrieval_gate.base.scores import Row
from retrieval_gate.scoring.metrics.table import Metric
from retrieval_gate.scoring.rows import rows
from retrieval_gate.scoring.slices import Slice
from retrieval_gate.verdict.accepted import Baseline, row_identity

# Above the last digit in which two mathematics libraries differ, below any real change.
_TOLERANCE = 1e-9


def torn_row(baseline: Baseline, metrics: Sequence[Metric]) -> Row | None:
    """The first row that is not the recomputation from the records; a row that is lacking is given as computed.

    Slices that hold a held-out query have no complete records: their values are not checked, only that the row of
    every ablation, slice and metric is there once and no other is.
    """
    hidden = frozenset(baseline.held_out.slices)
    kept = {row_identity(row): row for row in baseline.rows}
    for expected in rows(baseline.records, metrics, _slices(baseline)):
        row = kept.pop(row_identity(expected), None)
        if row is None:
            return expected
        if expected.slice not in hidden and not _same(row, expected):
            return row
    return next(iter(kept.values()), None)


def _same(row: Row, expected: Row) -> bool:
    if row.n != expected.n or row.value is None or expected.value is None:
        return row == expected
    return abs(row.value - expected.value) <= _TOLERANCE


def _slices(baseline: Baseline) -> tuple[Slice, ...]:
    members: dict[SliceId, list[QueryId]] = {group: [] for group in baseline.held_out.slices}
    for query in baseline.queries:
        for group in query.slices:
            members.setdefault(group, []).append(query.id)
    return tuple(Slice(id=group, queries=tuple(queries)) for group, queries in sorted(members.items()))
