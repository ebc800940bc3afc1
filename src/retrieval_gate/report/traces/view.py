"""The JSON views of scored traces and of their comparison. Numbers are never rounded; null is "not applicable"."""

from __future__ import annotations

from typing import Any

from retrieval_gate.base.scores import Row
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.privacy import check_private
from retrieval_gate.report.traces.report import (
    CheckCount,
    TraceChange,
    TraceComparison,
    TraceReport,
    TraceResult,
    comparison_exit_code,
    exit_code,
)
from retrieval_gate.verdict.kinds import KINDS, kind_of

REPORT_SCHEMA = "retrieval-gate/trace-report/v1"
COMPARISON_SCHEMA = "retrieval-gate/trace-comparison/v1"

Json = dict[str, Any]


def report_view(report: TraceReport) -> Json:
    """The view of one set; raises InternalError where it would hold a text, see `report.privacy`."""
    view = {
        "schema": REPORT_SCHEMA,
        "toolVersion": report.tool,
        "exitCode": int(exit_code(report)),
        **_scored(report),
        "verdicts": [_verdict(verdict) for verdict in report.verdicts],
    }
    check_private(view, _names(report))
    return view


def comparison_view(comparison: TraceComparison) -> Json:
    """The view of a comparison; raises InternalError as `report_view`."""
    after = comparison.after
    view = {
        "schema": COMPARISON_SCHEMA,
        "toolVersion": after.tool,
        "exitCode": int(comparison_exit_code(comparison)),
        "before": _scored(comparison.before),
        "after": _scored(after),
        "changes": [_change(change, after) for change in comparison.changes],
        "added": list(comparison.added),
        "removed": list(comparison.removed),
        "labelsEdited": list(comparison.edited),
        "verdicts": [_verdict(verdict) for verdict in comparison.verdicts],
    }
    check_private(view, _names(comparison.before) | _names(after))
    return view


def _scored(report: TraceReport) -> Json:
    return {
        "traces": {
            "id": report.id,
            "version": report.version,
            "count": len(report.results),
            "unjudged": list(report.unjudged),
        },
        "k": report.k,
        "scope": {"retrieval": report.retrieval.value, "notChecked": [part.value for part in report.unchecked]},
        "checks": [_check(check) for check in report.checks],
        "rows": [_row(row) for row in report.rows],
        "results": [_result(result, report) for result in report.results],
    }


def _check(check: CheckCount) -> Json:
    """`needs` says what would give it labels, where it has none."""
    return {"check": check.id, "failed": check.failed, "n": check.n, "needs": None if check.n else check.needs}


def _row(row: Row) -> Json:
    return {"slice": row.slice, "metric": row.metric, "value": row.value, "n": row.n}


def _result(result: TraceResult, report: TraceReport) -> Json:
    record = result.record
    return {
        "id": record.query,
        "missing": record.missing,
        "returned": record.returned,
        "duplicates": record.duplicates,
        "expected": None if record.expected_state is None else record.expected_state.value,
        "observed": None if record.state is None else record.state.value,
        "metrics": dict(zip(report.metrics, result.values, strict=True)),
        "checks": _checks(result, report),
    }


def _checks(result: TraceResult, report: TraceReport) -> dict[str, str]:
    return {check.id: status.value for check, status in zip(report.checks, result.checks, strict=True)}


def _change(change: TraceChange, report: TraceReport) -> Json:
    """Only what moved is listed; nothing where the trace is as before."""
    values = zip(report.metrics, change.before.values, change.after.values, strict=True)
    before, after = _checks(change.before, report), _checks(change.after, report)
    return {
        "id": change.after.record.query,
        "simulated": change.simulated,
        "metrics": {metric: {"before": old, "after": new} for metric, old, new in values if old != new},
        "checks": {
            check: {"before": before[check], "after": after[check]}
            for check in before
            if before[check] != after[check]
        },
    }


def _verdict(verdict: Verdict) -> Json:
    return {
        "kind": verdict.kind,
        "status": verdict.status.value,
        "query": verdict.query,
        "metric": verdict.metric,
        "metrics": list(verdict.metrics),
        "units": list(verdict.units),
        "value": verdict.value,
        "bound": verdict.bound,
        "baseline": verdict.baseline,
        "n": verdict.n,
        "detail": verdict.detail,
        "firstAction": kind_of(verdict.kind).action if verdict.status is Status.FAILED else None,
    }


def _names(report: TraceReport) -> frozenset[str]:
    """What may stand in the view: the ids of the traces, and the words of the tables."""
    return frozenset(
        {
            REPORT_SCHEMA,
            COMPARISON_SCHEMA,
            *(kind.action for kind in KINDS),
            *(check.id for check in report.checks),
            *(check.needs for check in report.checks),
            *(row.slice for row in report.rows),
            *report.metrics,
            *(verdict.metric for verdict in report.verdicts if verdict.metric is not None),
            *(result.record.query for result in report.results),
            *report.unjudged,
            *(unit for verdict in report.verdicts for unit in verdict.units),
            *([] if report.id is None else [report.id]),
        }
    )
