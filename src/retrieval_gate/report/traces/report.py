"""The report on supplied traces, the comparison of two, and the exit codes that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.ids import MetricId, QueryId
from retrieval_gate.base.places import Place
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.scores import Row
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.report import Retrieval, Unchecked


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceResult:
    """One trace: its values in the order of the report's metrics, its checks in that of the report's checks."""

    record: QueryRecord
    values: tuple[float | None, ...]
    checks: tuple[Status, ...]

    @property
    def failed(self) -> bool:
        return self.record.missing or Status.FAILED in self.checks


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCount:
    """A check over all traces: how many fail it, `n` labels that were checked, what it `needs` to have some."""

    id: str
    needs: str
    failed: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceReport:
    """Supplied traces, scored and judged. No field can hold the text of a query.

    `rows` are the metrics over all traces, each with its n; `verdicts` are worst first. `places` is filled for
    failures only and is not in the JSON: it is of the caller's machine. `unjudged` see `base.trace`.
    """

    id: str | None
    version: int | None
    k: int
    tool: str
    retrieval: Retrieval
    unchecked: tuple[Unchecked, ...]
    metrics: tuple[MetricId, ...]
    results: tuple[TraceResult, ...]
    rows: tuple[Row, ...]
    checks: tuple[CheckCount, ...]
    verdicts: tuple[Verdict, ...]
    unjudged: int
    places: tuple[tuple[QueryId, Place], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceChange:
    """What a repair changed in one trace that both files hold; `before` and `after` have the same labels.

    `simulated`: what was returned or observed differs. Only the trace was changed; no retrieval was run.
    """

    before: TraceResult
    after: TraceResult
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceComparison:
    """Two scored sets of traces. `verdicts` are the failures of `after` and of the comparison, worst first.

    `edited` are traces whose labels differ: they are not compared, and fail. `places` are of `verdicts`.
    """

    before: TraceReport
    after: TraceReport
    changes: tuple[TraceChange, ...]
    added: tuple[QueryId, ...]
    removed: tuple[QueryId, ...]
    edited: tuple[QueryId, ...]
    verdicts: tuple[Verdict, ...]
    places: tuple[tuple[QueryId, Place], ...]


def failures(report: TraceReport | TraceComparison) -> tuple[Verdict, ...]:
    """The failures, worst first. Each of them blocks."""
    return tuple(verdict for verdict in report.verdicts if verdict.status is Status.FAILED)


def exit_code(report: TraceReport) -> ExitCode:
    """1 where anything failed, 4 where nothing was measured."""
    if failures(report):
        return ExitCode.GATE_FAILED
    measured = any(row.n for row in report.rows) or any(check.n for check in report.checks)
    return ExitCode.PASS if measured else ExitCode.NOTHING_COMPARABLE


def comparison_exit_code(comparison: TraceComparison) -> ExitCode:
    """1 where anything fails after the repair, 4 where no trace could be compared."""
    if failures(comparison):
        return ExitCode.GATE_FAILED
    return exit_code(comparison.after) if comparison.changes else ExitCode.NOTHING_COMPARABLE
