"""What a repair changed in supplied traces and what stayed; pure but for the scan that finds the lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrieval_gate.base.ids import QueryId, UnitId
from retrieval_gate.base.trace import Trace
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.inputs.traces import LoadedTraces
from retrieval_gate.report.places import failing_queries
from retrieval_gate.report.traces.build import score
from retrieval_gate.report.traces.report import TraceChange, TraceComparison, TraceReport, failures
from retrieval_gate.verdict.kinds import severity
from retrieval_gate.verdict.trace_kinds import FELL, RELABELLED, REMOVED


def compare(before: LoadedTraces, after: LoadedTraces, k: int) -> TraceComparison:
    """Both scored at cut-off k and joined by id, in the order of `after`.

    A trace that is gone or whose labels differ fails: else a failure could be repaired by forgetting it. So does
    one of which any value fell.
    """
    old, new = ({trace.id: trace for trace in loaded.traces.traces} for loaded in (before, after))
    held, holds = _held(before), _held(after)
    shared = [name for name in holds if name in held and name in old and name in new]
    edited = tuple(name for name in shared if _labels(old[name]) != _labels(new[name]))
    reports = score(before, k), score(after, k)
    results = [{result.record.query: result for result in report.results} for report in reports]
    changes = tuple(
        TraceChange(
            before=results[0][name], after=results[1][name], simulated=_answer(old[name]) != _answer(new[name])
        )
        for name in shared
        if name not in edited
    )
    removed = tuple(name for name in held if name not in holds)
    # Where the judgments of both files name it, it has failed already: as missing.
    forgotten = tuple(name for name in removed if name not in new)
    verdicts = _verdicts(reports[1], changes, forgotten, edited)
    gone = before.places(forgotten)
    return TraceComparison(
        before=reports[0],
        after=reports[1],
        changes=changes,
        added=tuple(name for name in holds if name not in held),
        removed=removed,
        edited=edited,
        verdicts=verdicts,
        places=(*after.places(failing_queries(verdicts)), *gone),
    )


def _held(loaded: LoadedTraces) -> dict[QueryId, None]:
    """The traces that the run itself holds, with labels or without, in order."""
    answered = [trace.id for trace in loaded.traces.traces if trace.hits is not None]
    return dict.fromkeys([*answered, *loaded.traces.unjudged])


def _labels(trace: Trace) -> tuple[object, ...]:
    """What is expected; the order of labels means nothing."""
    return frozenset(trace.relevant), frozenset(trace.forbidden), frozenset(trace.stale), trace.expected


def _answer(trace: Trace) -> tuple[object, ...]:
    return trace.hits, trace.observed


def _verdicts(
    after: TraceReport, changes: Sequence[TraceChange], removed: Sequence[QueryId], edited: Sequence[QueryId]
) -> tuple[Verdict, ...]:
    found = [
        *failures(after),
        *(Verdict(kind=REMOVED, status=Status.FAILED, query=name) for name in removed),
        *(Verdict(kind=RELABELLED, status=Status.FAILED, query=name) for name in edited),
        *(verdict for change in changes for verdict in _falls(change, after)),
    ]
    return tuple(sorted(found, key=lambda verdict: severity(verdict.kind)))


def _falls(change: TraceChange, after: TraceReport) -> Iterator[Verdict]:
    """One verdict for the metrics of a trace that fell; the first of them gives the values.

    Its units are the relevant chunks that moved down or left; none where only more came in.
    A value that is not there on one side, as precision of an empty list, is not compared.
    """
    values = zip(after.metrics, change.before.values, change.after.values, strict=True)
    fell = [(metric, old, new) for metric, old, new in values if old is not None and new is not None and new < old]
    if fell:
        metric, old, new = fell[0]
        yield Verdict(
            kind=FELL,
            status=Status.FAILED,
            query=change.after.record.query,
            units=_worsened(change),
            metric=metric,
            value=new,
            baseline=old,
            metrics=tuple(metric for metric, _, _ in fell),
        )


def _worsened(change: TraceChange) -> tuple[UnitId, ...]:
    """The relevant chunks that are ranked lower than before, or not returned any more."""
    ranks = {unit.unit: unit.rank for unit in change.after.record.judged}
    return tuple(
        unit.unit
        for unit in change.before.record.judged
        if unit.rank is not None and ((now := ranks[unit.unit]) is None or now > unit.rank)
    )
