"""What an output says of the whole run: the same words everywhere, only the marking of ids differs."""

from __future__ import annotations

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.scores import Latency
from retrieval_gate.base.verdict import Status
from retrieval_gate.report.phrases import Mark
from retrieval_gate.report.report import BaselineStatus, Report, exit_code, measured, with_status

_COUNTED = (Status.FAILED, Status.PASSED, Status.NOT_CHECKED, Status.NOTE)


def reason(report: Report) -> str:
    """Why the exit code is what it is, in a few words."""
    code = exit_code(report)
    failed = len(with_status(report, Status.FAILED))
    missing = report.baseline.status is BaselineStatus.MISSING
    if code is ExitCode.GATE_FAILED and failed > 1:
        return f"{failed} gates failed"
    if code is ExitCode.NOTHING_COMPARABLE:
        nothing = "there is no baseline" if missing else "the baseline shares no query and ablation with this run"
        return nothing if measured(report) else "nothing was measured"
    if code is ExitCode.PASS and missing:
        return f"{code.meaning}, without a baseline"
    return code.meaning


def count_lines(report: Report, mark: Mark) -> tuple[str, ...]:
    """What was evaluated, how many gates were judged, and against what; each a sentence."""
    left_out, substituted = (
        ", ".join(mark(name) for name in names) for names in (report.left_out, report.substituted)
    )
    lines = (
        _fixture_line(report, mark),
        _gates_line(report),
        left_out and f"not run, for want of an alias table: {left_out}",
        substituted and f"with token-hash vectors, for want of an alias table: {substituted}",
        changed_line(report),
    )
    return tuple(line for line in lines if line)


def _fixture_line(report: Report, mark: Mark) -> str:
    fixture = report.fixture
    return (
        f"{mark(fixture.id)} version {fixture.version}: "
        f"{fixture.queries} queries ({fixture.answerable} answerable, {fixture.no_answer} without an answer), "
        f"{fixture.documents} documents, {fixture.chunks} chunks, "
        f"{len(report.ablations)} ablations, 2 runs of {report.retrieval.value.replace('-', ' ')}"
    )


def _gates_line(report: Report) -> str:
    failed, passed, unchecked, notes = (len(with_status(report, status)) for status in _COUNTED)
    counts = f"{failed} failed, {passed} passed, {unchecked} not checked; notes: {notes}"
    return f"gates: {counts}; {baseline_line(report)}"


def baseline_line(report: Report) -> str:
    """How much of the committed baseline was compared."""
    baseline = report.baseline
    if baseline.status is BaselineStatus.MISSING:
        return "baseline missing, " + (
            "as allowed: absolute gates only" if report.allow_missing_baseline else "not allowed"
        )
    moved = {"added": baseline.added, "removed": baseline.removed, "edited": baseline.edited}
    counts = [f"{len(queries)} {word}" for word, queries in moved.items() if queries]
    return f"baseline {baseline.status.value}: {', '.join([f'{baseline.shared} queries compared', *counts])}"


def changed_line(report: Report) -> str | None:
    """Which parts of the system differ from the baseline's; None where none does."""
    if not report.baseline.changed:
        return None
    parts = ", ".join(part.value for part in report.baseline.changed)
    return f"changed since the baseline, and judged in full: {parts}"


def unchecked_line(report: Report) -> str:
    """What the result does not prove, whatever its colour."""
    return ", ".join(part.value.replace("-", " ") for part in report.unchecked)


def latency_line(latency: Latency, mark: Mark) -> str | None:
    """Median, p95 and maximum of one ablation; None where nothing was timed."""
    if latency.median is None or latency.p95 is None or latency.max is None:
        return None
    times = ", ".join(f"{value:.2f}" for value in (latency.median, latency.p95, latency.max))
    return f"{mark(latency.ablation)}: {times} (n {latency.count})"
