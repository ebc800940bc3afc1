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


def render(comparison: TraceComparison, style: Style) -> str:
    """As `text.render`."""
    code = comparison_exit_code(comparison)
    said = {
        ExitCode.GATE_FAILED: f"{counted(len(failures(comparison)), 'failure')} after the repair",
        ExitCode.NOTHING_COMPARABLE: "no trace could be compared",
    }.get(code, "nothing fails after the repair")
    return text.joined(
        text.headline(code, said, style),
        text.described(comparison.after, style),
        changed(comparison, style),
        stayed(comparison, style),
        _others(comparison, style),
        text.failure_lines("FAILURES AFTER IT", failures(comparison), comparison.places, style),
        text.scope(comparison.after, style),
    )


def changed(comparison: TraceComparison, style: Style) -> Iterator[str]:
    """Each trace whose hits or state differ, with every value and check, moved or not."""
    found = [change for change in comparison.changes if change.simulated]
    yield style.paint(f"CHANGED: {counted(len(found), 'trace')}", Tone.STRONG)
    for change in found[: text.TRACES_SHOWN]:
        yield from _change(change, comparison.after, style)
    yield from _more(len(found), style)
    if found:
        note = (
            "simulated: a supplied trace was changed. No search implementation was changed or tested; run the same"
        )
        yield from wrap(
            f"{note} queries against the real system.", style.width, first=text.INDENT, rest=text.INDENT
        )


def _change(change: TraceChange, report: TraceReport, style: Style) -> Iterator[str]:
    yield from wrap(f"{plain(change.after.record.query)} [simulated]", style.width, first=text.INDENT)
    values = zip(report.metrics, change.before.values, change.after.values, strict=True)
    parts = [f"{plain(metric)} {_moved(*map(_value, (old, new)))}" for metric, old, new in values]
    names = [check.id for check in report.checks]
    statuses = zip(names, change.before.checks, change.after.checks, strict=True)
    parts += [f"{name} {_moved(_WORD[old], _WORD[new])}" for name, old, new in statuses]
    for part in parts:
        yield from wrap(part, style.width, first=text.INDENT * 2, rest=text.INDENT * 3)


def _value(value: float | None) -> str:
    return "-" if value is None else phrases.numbers(value)[0]


def _moved(old: str, new: str) -> str:
    return f"{old}, as before" if old == new else f"{old} -> {new}"


def stayed(comparison: TraceComparison, style: Style) -> Iterator[str]:
    """The traces that are as before, those that fail among them named first."""
    same = [change.after for change in comparison.changes if not change.simulated]
    failing = [plain(result.record.query) for result in same if result.failed]
    passing = [plain(result.record.query) for result in same if not result.failed]
    yield style.paint(f"AS BEFORE: {counted(len(same), 'trace')}", Tone.STRONG)
    for word, names in (("still failing", failing), ("still passing", passing)):
        if names:
            shown = ", ".join(names[: text.TRACES_SHOWN])
            more = f" and {len(names) - text.TRACES_SHOWN} more" if len(names) > text.TRACES_SHOWN else ""
            yield from wrap(f"{word}: {shown}{more}", style.width, first=text.INDENT, rest=text.INDENT * 2)


def _others(comparison: TraceComparison, style: Style) -> Iterator[str]:
    """What could not be compared, by count: removed and edited traces are named by their failures."""
    parts = [
        f"{counted(len(names), 'trace')} {word}"
        for word, names in (
            ("added", comparison.added),
            ("removed", comparison.removed),
            ("with other labels", comparison.edited),
        )
        if names
    ]
    if parts:
        yield from wrap(f"NOT COMPARED: {', '.join(parts)}", style.width, rest=text.INDENT)


def _more(count: int, style: Style) -> Iterator[str]:
    if count > text.TRACES_SHOWN:
        yield from wrap(f"and {count - text.TRACES_SHOWN} more: see --format json", style.width, first=text.INDENT)
