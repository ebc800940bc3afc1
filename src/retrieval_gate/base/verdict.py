"""Verdicts: only these decide. One shape for every gate, so that every output can show every gate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId, UnitId


class Status(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    # The gate could not be judged because nothing of its kind is labelled; never green, never red.
    NOT_CHECKED = "not-checked"
    # Worth reading, not blocking: an improvement, a move among unjudged hits, a changed system part.
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one gate says of one thing.

    `kind` is the kebab-case id of a row in `verdict.kinds`, which holds its severity, explanation and first
    corrective action. `value` is now, `bound` the limit, `baseline` the committed value; None where the kind has
    none. `n` and `baseline_n` count what each was measured over. For per-query kinds `query` and `units` name
    what moved, `old_rank` and `new_rank` (from 1, None = not returned) how, and `stage` where it was lost.
    `metrics` are all the metrics that got worse with it, `metric` the one that did most.
    """

    kind: str
    status: Status
    ablation: AblationId | None = None
    slice: SliceId | None = None
    metric: MetricId | None = None
    query: QueryId | None = None
    units: tuple[UnitId, ...] = ()
    value: float | None = None
    bound: float | None = None
    baseline: float | None = None
    n: int | None = None
    baseline_n: int | None = None
    old_rank: int | None = None
    new_rank: int | None = None
    stage: str | None = None
    detail: str | None = None
    metrics: tuple[MetricId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Whether what was loosened against the base branch is approved.

    `hash` (16 hex digits) is what a maintainer gives to approve these `count` loosenings and no others. `stale`
    says that an approval was given, and is of others.
    """

    hash: str
    count: int
    approved: bool
    stale: bool
