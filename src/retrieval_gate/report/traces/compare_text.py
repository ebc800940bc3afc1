"""The comparison of two sets of traces for a terminal: what the repair changed, what stayed, what still fails."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.verdict import Status
from retrieval_gate.report import phrases
from retrieval_gate.report.outputs.style import Style, Tone, plain, wrap
from retrieval_gate.report.summary import counted
from retrieval_gate.report.traces import text
from retrieval_gate.report.traces.report import (
    TraceChange,
    TraceComparison,
    TraceReport,
    comparison_exit_code,
    failures,
)

_WORD = {Status.PASSED: "passes", Status.FAILED: "fails", Status.NOT_CHECKED: "not checked", Status.NOTE: "-"}


# How a changed trace is labelled, and why. Nobody here can know where the hits of both files are from.
TAG = "simulated unless recorded"
NOTE = (
    "supplied traces: nothing was run here. A change is simulated, and proves nothing of any search "
    "implementation, unless both files were recorded from real retrieval."
)


def render(comparison: TraceComparison, style: Style) -> str:
    """As `text.render`."""
    return text.joined(
        text.headline(comparison_exit_code(comparison), _outcome(comparison), style),
        text.described(comparison.after, style),
        changed(comparison, style),
        stayed(comparison, style),
        _others(comparison, style),
        text.failure_lines("FAILURES", failures(comparison), comparison.places, style),
        text.checks(comparison.after, style),
        text.scope(comparison.after, style),
    )


def _outcome(comparison: TraceComparison) -> str:
    """Why the exit code is what it is."""
    code = comparison_exit_code(comparison)
    if code is ExitCode.GATE_FAILED:
        return f"{counted(len(failures(comparison)), 'failure')} in AFTER, or against BEFORE"
    if code is ExitCode.NOTHING_COMPARABLE:
        return text.nothing_checked(comparison.after) if comparison.changes else "no trace could be compared"
    compared = len([change for change in comparison.changes if change.compared])
    also = (f"no value fell in {counted(compared, 'trace')}",) if compared else ()
    return "; ".join(text.passed(comparison.after, *also))


def changed(comparison: TraceComparison, style: Style, tag: str = TAG, note: str = NOTE) -> Iterator[str]:
    """Each trace whose hits or state differ, with every value and check, moved or not; each has the `tag`."""
    found = [change for change in comparison.changes if change.simulated]
    yield style.paint(f"CHANGED: {counted(len(found), 'trace')}", Tone.STRONG)
    for change in found[: text.TRACES_SHOWN]:
        yield from _change(change, comparison.after, style, tag)
    yield from _more(len(found), style)
    if found:
        yield from wrap(note, style.width, first=text.INDENT, rest=text.INDENT)


def _change(change: TraceChange, report: TraceReport, style: Style, tag: str) -> Iterator[str]:
    yield from wrap(f"{plain(change.after.record.query)} [{tag}]", style.width, first=text.INDENT)
    values = zip(report.metrics, change.before.values, change.after.values, strict=True)
    parts = [f"{plain(metric)} {_moved(*map(_value, (old, new)))}" for metric, old, new in values]
    names = [check.id for check in report.checks]
    statuses = zip(names, change.before.checks, change.after.checks, strict=True)
    parts += [f"{name} {_moved(_WORD[old], _WORD[new])}" for name, old, new in statuses]
    for part in parts:
        yield from wrap(part, style.width, first=text.INDENT * 2, rest=text.INDENT * 3)


def _value(value: float | None) -> str:
    return "not applicable" if value is None else phrases.numbers(value)[0]


def _moved(old: str, new: str) -> str:
    return f"{old}, as before" if old == new else f"{old} -> {new}"


def stayed(comparison: TraceComparison, style: Style) -> Iterator[str]:
    """The traces that are as before, those that fail among them named first."""
    same = [change.after for change in comparison.changes if not change.simulated]
    failing = [plain(result.record.query) for result in same if result.failed]
    passing = [plain(result.record.query) for result in same if not result.failed]
    yield style.paint(f"AS BEFORE: {counted(len(same), 'trace')}", Tone.STRONG)
    for word, names in (("still failing", failing), ("not failing", passing)):
        yield from text.named(word, names, style)


def _others(comparison: TraceComparison, style: Style) -> Iterator[str]:
    """What could not be compared."""
    parts = (
        ("added", comparison.added),
        ("removed", comparison.removed),
        ("with other labels", comparison.edited),
    )
    count = 0
    for _, names in parts:
        count += len(names)
    if count:
        yield style.paint(f"NOT COMPARED: {counted(count, 'trace')}", Tone.STRONG)
    for word, names in parts:
        yield from text.named(word, [plain(name) for name in names], style)


def _more(count: int, style: Style) -> Iterator[str]:
    if count > text.TRACES_SHOWN:
        yield from wrap(f"and {count - text.TRACES_SHOWN} more: see --format json", style.width, first=text.INDENT)
