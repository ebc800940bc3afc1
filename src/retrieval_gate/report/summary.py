"""What an output says of the whole run: the same words everywhere, only the marking of ids differs."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.scores import Latency
from retrieval_gate.base.verdict import Status
from retrieval_gate.report.answers import WaiverSummary
from retrieval_gate.report.phrases import Mark
from retrieval_gate.report.report import (
    BaselineStatus,
    Report,
    Retrieval,
    blocking,
    exit_code,
    measured,
    warned,
    with_status,
)
from retrieval_gate.verdict.scenario_kinds import CHECKS

# A longer list of waivers is cut: the JSON report has them all.
WAIVERS_SHOWN = 20
# Passes whose count of checks is said: what is never tolerated.
CHECKED_KINDS = (
    "permission-leak",
    "stale-evidence",
    "bad-citation",
    "wrong-state",
    *(row.id for row in CHECKS),
)
_COUNTED = (Status.FAILED, Status.PASSED, Status.NOT_CHECKED, Status.NOTE)


def reason(report: Report) -> str:
    """Why the exit code is what it is, in a few words."""
    code = exit_code(report)
    failed = len(blocking(report))
    if code is ExitCode.GATE_FAILED and failed > 1:
        return f"{failed} gates failed"
    if code is ExitCode.NOTHING_COMPARABLE:
        return nothing(report)
    if code is ExitCode.PASS:
        return ", ".join([warned_line(report) or code.meaning, *_left_open(report)])
    return code.meaning


def warned_line(report: Report) -> str | None:
    """How many failed gates only warn, and why; None where none does."""
    only_warn = len(warned(report))
    if not only_warn:
        return None
    return f"{counted(only_warn, 'failed gate')} only warned of, as fail-on is {report.fail_on.value}"


def nothing(report: Report) -> str:
    """Why nothing could be compared."""
    if not measured(report):
        return "nothing was measured"
    if report.baseline.status is not BaselineStatus.MISSING:
        return "the baseline shares no query and ablation with this run"
    return "there is no baseline" + (", and no bound was judged" if report.allow_missing_baseline else "")


def _left_open(report: Report) -> Iterator[str]:
    """What a pass does not cover: a green headline must not hide it."""
    if report.baseline.status is BaselineStatus.MISSING:
        yield "without a baseline"
    not_run = len([verdict for verdict in report.verdicts if verdict.kind == "ablation-not-run"])
    if not_run:
        yield f"with {counted(not_run, 'ablation')} left out"


def counted(number: int, name: str, plural: str | None = None) -> str:
    """The number with its noun."""
    return f"{number} {name if number == 1 else plural or name + 's'}"


def count_lines(report: Report, mark: Mark) -> tuple[str, ...]:
    """What was evaluated, how many gates were judged, and against what; each a sentence."""
    left_out, substituted = (
        ", ".join(mark(name) for name in names) for names in (report.left_out, report.substituted)
    )
    lines = (
        fixture_line(report, mark),
        set_aside_line(report),
        _gates_line(report),
        checks_line(report, mark),
        warned_line(report),
        waiver_line(report, mark),
        loosening_line(report, mark),
        left_out and f"not run, for want of an alias table: {left_out}",
        substituted and f"with token-hash vectors, for want of an alias table: {substituted}",
        changed_line(report),
    )
    return tuple(line for line in lines if line)


def checks_line(report: Report, mark: Mark) -> str:
    """How often what is never tolerated was looked for and not found; empty where nothing was."""
    counts: dict[str, int] = {}
    for verdict in with_status(report, Status.PASSED):
        if verdict.kind in CHECKED_KINDS:
            counts[verdict.kind] = counts.get(verdict.kind, 0) + (verdict.n or 0)
    return "checks passed: " + ", ".join(f"{mark(kind)} {n}" for kind, n in counts.items()) if counts else ""


def fixture_line(report: Report, mark: Mark) -> str:
    """What was evaluated, as a sentence."""
    fixture = report.fixture
    held_out = f", {fixture.held_out} held out" if fixture.held_out else ""
    return (
        f"{mark(fixture.id)} version {fixture.version}: "
        f"{counted(fixture.queries, 'query', 'queries')} "
        f"({fixture.answerable} answerable, {fixture.no_answer} without an answer{held_out}), "
        f"{counted(fixture.documents, 'document')}, {counted(fixture.chunks, 'chunk')}, "
        f"{counted(len(report.ablations), 'ablation')}, {passes(report.retrieval)}"
    )


def passes(retrieval: Retrieval) -> str:
    """What was done twice: nothing was retrieved where a recording was read."""
    return f"2 {'replays' if retrieval is Retrieval.RECORDED else 'runs'} of {retrieval.value.replace('-', ' ')}"


def set_aside_line(report: Report) -> str | None:
    """What of the configuration is not used, as --fixture names another fixture; None where all is."""
    parts = [part.value for part in report.invocation.set_aside]
    if not parts:
        return None
    told = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    verb = "are" if len(parts) > 1 else "is"
    return f"--fixture is not the configuration's fixture: its {told} {verb} not used"


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
    shared = counted(baseline.shared, "query", "queries")
    return f"baseline {baseline.status.value}: {', '.join([f'{shared} compared', *counts])}"


def waiver_line(report: Report, mark: Mark) -> str | None:
    """Every waiver with its date and what it covers; None where the configuration has none."""
    if not report.waivers:
        return None
    shown = [_waiver(waiver, mark) for waiver in report.waivers[:WAIVERS_SHOWN]]
    more = len(report.waivers) - len(shown)
    told = "; ".join([*shown, *([f"and {more} more"] if more else [])])
    return f"{counted(len(report.waivers), 'waiver')} of wrong states: {told}"


def _waiver(waiver: WaiverSummary, mark: Mark) -> str:
    name = "a held-out query" if waiver.query is None else mark(waiver.query)
    if waiver.expired:
        return f"{name} expired after {waiver.expires}"
    unchecked = ", date not checked" if waiver.expired is None else ""
    return f"{name} until {waiver.expires}, {waiver.waived} waived{unchecked}"


def loosening_line(report: Report, mark: Mark) -> str | None:
    """The hash of what the baseline loosens, and whether it is approved; None where it loosens nothing."""
    baseline = report.baseline
    if baseline.loosening_hash is None:
        return None
    word = "approved" if baseline.loosening_approved else "not approved"
    return f"this change asks for less than the base branch's baseline, {word}: {mark(baseline.loosening_hash)}"


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
