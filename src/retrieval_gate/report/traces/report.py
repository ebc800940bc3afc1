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

    @property
    def unchecked(self) -> bool:
        """Whether no label of it was checked: its metrics alone say neither good nor bad."""
        return not self.record.missing and all(check is Status.NOT_CHECKED for check in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCount:
    """A check over all traces: how many fail it, and `n` labels that were checked.

    `fields` are what a trace must have for some, `needs` says so at length.
    """

    id: str
    fields: str
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
    unjudged: tuple[QueryId, ...]
    places: tuple[tuple[QueryId, Place], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceChange:
    """What a repair changed in one trace that both files hold; `before` and `after` have the same labels.

    `simulated`: what was returned or observed differs. No retrieval was run here, so the repair is simulated,
    unless both files were recorded from the real system.
    """

    before: TraceResult
    after: TraceResult
    simulated: bool

    @property
    def compared(self) -> bool:
        """Whether a value could have fallen: nothing relevant is nothing to lose."""
        return bool(self.after.record.judged)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceComparison:
    """Two scored sets of traces. `verdicts` are the failures of `after` and of the comparison, worst first.

    `added` and `removed` are traces that one file does not hold; `edited` are those whose labels differ: they are
    not compared, and fail. `places` are of `verdicts`.
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
    """1 where anything failed, 4 where nothing was checked: a metric that no gate holds is no reason for green."""
    if failures(report):
        return ExitCode.GATE_FAILED
    return ExitCode.PASS if _checked(report) else ExitCode.NOTHING_COMPARABLE


def comparison_exit_code(comparison: TraceComparison) -> ExitCode:
    """1 where anything fails, 4 where no trace could be compared, or none had a value or a label to check."""
    if failures(comparison):
        return ExitCode.GATE_FAILED
    changes = comparison.changes
    judged = any(change.compared for change in changes) or (bool(changes) and _checked(comparison.after))
    return ExitCode.PASS if judged else ExitCode.NOTHING_COMPARABLE


def _checked(report: TraceReport) -> bool:
    return any(check.n for check in report.checks)
