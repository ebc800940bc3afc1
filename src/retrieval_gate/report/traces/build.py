"""Score and judge supplied traces; pure but for the scan that finds the lines of failures."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval_gate import __version__
from retrieval_gate.base.ids import SliceId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.scores import Row
from retrieval_gate.inputs.traces import LoadedTraces
from retrieval_gate.report.places import failing_queries
from retrieval_gate.report.report import NEVER_CHECKED, Retrieval
from retrieval_gate.report.traces.report import CheckCount, TraceReport, TraceResult
from retrieval_gate.report.traces.view import report_view
from retrieval_gate.scoring.metrics.family import Metric
from retrieval_gate.scoring.traces import TRACE, trace_metrics, trace_record
from retrieval_gate.verdict.traces import TRACE_CHECKS, checked, failing, judge_traces

ALL = SliceId("all")


def score(loaded: LoadedTraces, k: int) -> TraceReport:
    """The report on `loaded` at cut-off k (1 to 1000).

    Raises InternalError where the privacy check finds a text: then there is no report, and no output can show it.
    """
    report = _scored(loaded, k)
    report_view(report)
    return report


def _scored(loaded: LoadedTraces, k: int) -> TraceReport:
    traces, metrics = loaded.traces, trace_metrics(k)
    records = tuple(trace_record(trace) for trace in traces.traces)
    verdicts = judge_traces(records, k, traces.unjudged)
    seen = any(not record.missing for record in records)
    return TraceReport(
        id=traces.id,
        version=traces.version,
        k=k,
        tool=__version__,
        retrieval=Retrieval.TRACE if seen else Retrieval.NEITHER,
        unchecked=NEVER_CHECKED,
        metrics=tuple(metric.id for metric in metrics),
        results=tuple(_result(record, metrics, k) for record in records),
        rows=tuple(_row(metric, records) for metric in metrics),
        checks=tuple(
            CheckCount(
                id=check.id,
                fields=check.fields,
                needs=check.unlabelled,
                failed=failing(check, records, k),
                n=checked(check, records, k),
            )
            for check in TRACE_CHECKS
        ),
        verdicts=verdicts,
        unjudged=traces.unjudged,
        places=loaded.places(failing_queries(verdicts)),
    )


def _result(record: QueryRecord, metrics: Sequence[Metric], k: int) -> TraceResult:
    return TraceResult(
        record=record,
        values=tuple(metric.value(record) for metric in metrics),
        checks=tuple(check.status(record, k) for check in TRACE_CHECKS),
    )


def _row(metric: Metric, records: Sequence[QueryRecord]) -> Row:
    value, n = metric.aggregate(records)
    return Row(ablation=TRACE, slice=ALL, metric=metric.id, value=value, n=n)
