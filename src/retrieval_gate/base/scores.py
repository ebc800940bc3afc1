"""Aggregates: one row per ablation, slice and metric."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from retrieval_gate.base.ids import AblationId, MetricId, SliceId
from retrieval_gate.base.record import QueryRecord


class Direction(StrEnum):
    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`value` is None where the metric does not apply; `n` counts what it was measured over."""

    ablation: AblationId
    slice: SliceId
    metric: MetricId
    value: float | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Records in plan order (ablation, then fixture order) and the rows computed from them."""

    records: tuple[QueryRecord, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds of one ablation; diagnostic only. p95 is the nearest-rank percentile."""

    ablation: AblationId
    count: int
    min: float | None
    median: float | None
    p95: float | None
    max: float | None
    mean: float | None
