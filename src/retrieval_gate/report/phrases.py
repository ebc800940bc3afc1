"""What an output says of one verdict: the words are the same everywhere, only the marking of ids differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from retrieval_gate.base.difference import Difference
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.ids import MetricId, UnitId
from retrieval_gate.base.scores import Latency
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.report import BaselineStatus, Report, exit_code, measured, with_status
from retrieval_gate.scoring.metrics.table import FAMILIES
from retrieval_gate.verdict.kinds import kind_of

# How an output writes an id so that it can break nothing there.
Mark = Callable[[str], str]

DECIMALS = 4
_MOST_DECIMALS = 12
# The unit of a metric that is not a share, as its table says.
COUNT = "count"
# Kinds whose bound is on n, not on the value.
BOUND_ON_N = ("n-dropped",)
_COUNTED = (Status.FAILED, Status.PASSED, Status.NOT_CHECKED, Status.NOTE)
# What a kind's detail is; it stands alone where the kind is not named.
DETAILS = {
    "max-below": "against {}",
    "unsupported-answer": "state {}",
    "over-abstention": "state {}",
}
# What makes a kind checked, where that is not the action that mends its failure.
UNLABELLED = {
    "permission-leak": "label queries with the chunks that are forbidden to them",
    "stale-evidence": "label queries with the chunks that are out of date for them",
}
# How many ids one sentence names.
UNITS_SHOWN = 5


def numbers(*values: float | None, counted: bool = False) -> tuple[str, ...]:
    """The values with as few decimals as tell different ones apart, at least four; counts without any.

    Rounding never makes a value look equal to a bound that it misses.
    """
    least = 0 if counted else DECIMALS
    for decimals in range(least, _MOST_DECIMALS + 1):
        shown = tuple("none" if value is None else f"{value:.{decimals}f}" for value in values)
        if len(set(shown)) == len(set(values)):
            return shown
    return tuple("none" if value is None else repr(value) for value in values)


def is_count(metric: MetricId | None) -> bool:
    """Whether the metric counts cases; False for one that no table has."""
    return any(family.id == metric and family.unit == COUNT for family in FAMILIES)


def subject(verdict: Verdict, mark: Mark) -> str:
    """What it is about, e.g. `query q-7, hybrid` or `hybrid, language=en, mrr@10`; empty: the whole run."""
    parts = (
        verdict.query and f"query {mark(verdict.query)}",
        verdict.ablation and mark(verdict.ablation),
        verdict.slice and mark(verdict.slice),
        verdict.metric and not verdict.query and mark(verdict.metric),
    )
    return ", ".join(part for part in parts if part)


def finding(verdict: Verdict, mark: Mark) -> tuple[str, ...]:
    """What was found: the units that moved, the stage that lost them, the values; each sentence apart."""
    found = (_move(verdict, mark), *_values(verdict, mark), *_more(verdict, mark))
    return tuple(sentence for sentence in found if sentence)


def _values(verdict: Verdict, mark: Mark) -> Iterator[str]:
    about_n = verdict.kind in BOUND_ON_N
    values = (verdict.value, None if about_n else verdict.bound, verdict.baseline)
    value, bound, baseline = numbers(*values, counted=_counted(verdict.metric, values))
    metric = f"{mark(verdict.metric)} " if verdict.query is not None and verdict.metric is not None else ""
    limit = "" if values[1] is None else f", bound {bound}"
    if verdict.value is not None:
        yield f"{metric}{value if verdict.baseline is None else f'{baseline} -> {value}'}{limit}"
    elif limit:
        yield f"{metric}not measured{limit}"
    if verdict.n is not None and verdict.query is None:
        n = (
            f"n {verdict.n}"
            if verdict.baseline_n in (None, verdict.n)
            else f"n {verdict.baseline_n} -> {verdict.n}"
        )
        yield f"{n}, bound {verdict.baseline_n}" if about_n else n


def _counted(metric: MetricId | None, values: Sequence[float | None]) -> bool:
    """Whether the values are counts: by the metric's unit, or whole numbers of no metric."""
    if metric is not None:
        return is_count(metric)
    return all(value is None or value.is_integer() for value in values)


def _move(verdict: Verdict, mark: Mark) -> str:
    old, new = verdict.old_rank, verdict.new_rank
    ranks = (
        "" if old is None and new is None else f"rank {_rank(old)}" + ("" if old == new else f" -> {_rank(new)}")
    )
    lost = "lost at" if ranks and new is None else "at"
    stage = "" if verdict.stage is None else f"{lost} {mark(verdict.stage)}"
    moved = ", ".join(part for part in (ranks, stage) if part)
    return ": ".join(part for part in (_units(verdict.units, mark), moved) if part)


def _more(verdict: Verdict, mark: Mark) -> Iterator[str]:
    others = [mark(metric) for metric in verdict.metrics if metric != verdict.metric]
    if others:
        yield f"also {', '.join(others)}"
    if verdict.detail is not None:
        yield DETAILS.get(verdict.kind, "{}").format(mark(verdict.detail))


def _units(units: Sequence[UnitId], mark: Mark) -> str:
    named = ", ".join(mark(unit) for unit in units[:UNITS_SHOWN])
    more = len(units) - UNITS_SHOWN
    return f"{named} and {more} more" if more > 0 else named


def _rank(rank: int | None) -> str:
    return "not returned" if rank is None else str(rank)


def difference_line(difference: Difference, mark: Mark) -> str:
    """One sentence on where the second run left the first."""
    where = "" if difference.rank is None else f", rank {difference.rank}"
    tolerated = " (a tie: tolerated)" if difference.tolerated else ""
    return (
        f"query {mark(difference.query)}, {mark(difference.ablation)}{where}: "
        f"the runs differ in {difference.cause.value}{tolerated}"
    )


def retriever_line(failure: RetrieverFailure, mark: Mark) -> str:
    """One sentence on how a retriever failed; its detail names ids, fields and numbers only."""
    which = "" if failure.ablation is None else f", {mark(failure.ablation)}"
    return f"run {failure.run}{which}: {mark(failure.code)}: {mark(failure.detail)}"


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


def note_line(verdict: Verdict, mark: Mark) -> str:
    """One sentence for a verdict that does not block."""
    about = subject(verdict, mark)
    found = "; ".join(finding(verdict, mark))
    return ": ".join(part for part in (mark(verdict.kind), about, found) if part)


def unchecked_gate(verdict: Verdict, mark: Mark) -> str:
    """One sentence for a gate that could not be judged, with what would make it so."""
    action = UNLABELLED.get(verdict.kind) or kind_of(verdict.kind).action
    return f"{note_line(verdict, mark)}; {action}"


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
