"""What an output says of one verdict or failure: the same words everywhere, only the marking of ids differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from retrieval_gate.base.difference import Difference
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.ids import MetricId, UnitId
from retrieval_gate.base.scores import Direction
from retrieval_gate.base.verdict import Verdict
from retrieval_gate.report.report import Report, red_differences
from retrieval_gate.scoring.metrics.table import FAMILIES
from retrieval_gate.verdict.actions import action_of
from retrieval_gate.verdict.scenario_kinds import CHECKS as SCENARIO_CHECKS
from retrieval_gate.verdict.scenario_kinds import FINDINGS as SCENARIO_FINDINGS
from retrieval_gate.verdict.scenario_kinds import LATE

# How an output writes an id so that it can break nothing there.
Mark = Callable[[str], str]

DECIMALS = 4
_MOST_DECIMALS = 12
# The unit of a metric that is not a share, as its table says.
COUNT = "count"
# Kinds whose bound is on n, not on the value.
BOUND_ON_N = ("n-dropped",)
# Kinds whose bound is on one side, whatever the metric's better side is.
BOUNDED_SIDE = {"floor": Direction.HIGHER, "ceiling": Direction.LOWER}
_SIDES = {Direction.HIGHER: "at least ", Direction.LOWER: "at most ", None: ""}
_OF_SCENARIOS = tuple(row.id for row in SCENARIO_FINDINGS)
# What a kind's detail is; it stands alone where the kind is not named.
DETAILS = {
    "max-below": "against {}",
    "unsupported-answer": "state {}",
    "over-abstention": "state {}",
    "stale-evidence": "{} is served instead",
    "label-edited": "edited: {}",
    **dict.fromkeys(_OF_SCENARIOS, "asked by {}"),
    LATE: "{} supersedes the first",
    **dict.fromkeys((row.id for row in SCENARIO_CHECKS), "not possible with this {}"),
}
# Kinds whose stage is the place where something was found, and not where it was lost.
FOUND_IN = ("permission-leak", "stale-evidence", "bad-citation", *_OF_SCENARIOS)
# What makes a kind checked, where that is not the action that mends its failure.
UNLABELLED = {
    "permission-leak": "give documents their access, or label queries with the chunks that are forbidden to them",
    "stale-evidence": "give documents their dates, or label queries with the chunks that are out of date for them",
    "bad-citation": "have the retriever give the citations of its answers",
}
# Kinds whose name says their only metric.
NAMES_ITS_METRIC = ("permission-leak", "stale-evidence", "wrong-state")
# What the n of a kind counts, where that is not what was measured.
COUNTS = {"declared-conflict": "none is served; n {}"}
# How many ids one sentence names.
UNITS_SHOWN = 5
# How many failures of each kind are shown at least, while there is room.
LEAST_OF_A_KIND = 3


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


def whole_subject(verdict: Verdict, mark: Mark) -> str:
    """As `subject`, with the metric of a query too."""
    metric = None if verdict.query is None else verdict.metric
    return ", ".join(part for part in (subject(verdict, mark), metric and mark(metric)) if part)


def moved(verdict: Verdict, mark: Mark) -> tuple[str, ...]:
    """What of `finding` is not a value: the units that moved, the stage that lost them, other metrics."""
    return tuple(sentence for sentence in (_move(verdict, mark), *_more(verdict, mark)) if sentence)


def columns(verdict: Verdict) -> tuple[str, str, str, str, str]:
    """Baseline, now, delta, allowed and n, for a table; a dash where there is none."""
    about_n = verdict.kind in BOUND_ON_N
    values = (verdict.baseline, verdict.value, None if about_n else verdict.bound)
    counted = _counted(verdict.metric, values)
    baseline, now, allowed = (_dashed(text) for text in numbers(*values, counted=counted))
    delta = "-"
    if verdict.value is not None and verdict.baseline is not None:
        change = verdict.value - verdict.baseline
        sign = "+" if change > 0 else "-" if change < 0 else ""
        delta = sign + numbers(abs(change), 0.0, counted=counted)[0]
    n = "-" if verdict.n is None else str(verdict.n)
    before = "" if verdict.baseline_n in (None, verdict.n) else f"{verdict.baseline_n} -> "
    return baseline, now, delta, f"n {verdict.baseline_n}" if about_n else allowed, before + n


def _dashed(text: str) -> str:
    return "-" if text == "none" else text


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
        before = "" if verdict.baseline_n in (None, verdict.n) else f"{verdict.baseline_n} -> "
        said = COUNTS.get(verdict.kind, "n {}").format(f"{before}{verdict.n}")
        yield said + (f", bound {verdict.baseline_n}" if about_n else "")


def expected_and_got(verdict: Verdict, mark: Mark) -> tuple[str, ...]:
    """As `finding`, for a reader who sees one failure alone: what was expected and what came, in these words."""
    found = (_move(verdict, mark), *_against(verdict, mark), *_more(verdict, mark))
    return tuple(sentence for sentence in found if sentence)


def _against(verdict: Verdict, mark: Mark) -> Iterator[str]:
    about_n = verdict.kind in BOUND_ON_N
    limit = verdict.baseline if verdict.bound is None or about_n else verdict.bound
    values = (limit, verdict.value, verdict.baseline)
    expected, got, baseline = numbers(*values, counted=_counted(verdict.metric, values))
    metric = f"{mark(verdict.metric)} " if verdict.query is not None and verdict.metric is not None else ""
    came = "nothing measured" if verdict.value is None else got
    if about_n:
        yield f"expected n {verdict.baseline_n}, got n {verdict.n}"
    elif limit is not None:
        yield f"{metric}expected {_at(verdict)}{expected}, got {came}"
    elif verdict.value is not None:
        yield f"{metric}got {got}"
    if verdict.baseline not in (None, limit):
        yield f"baseline {baseline}"
    if verdict.n is not None and verdict.query is None and not about_n:
        yield f"n {verdict.n}"


def _at(verdict: Verdict) -> str:
    """On which side of its bound a value may lie; empty where the bound is a value of its own."""
    if verdict.bound is None:
        return ""
    family = (verdict.metric or "").partition("@")[0]
    better = next((row.direction for row in FAMILIES if row.id == family), None)
    return _SIDES[BOUNDED_SIDE.get(verdict.kind, better)]


def _counted(metric: MetricId | None, values: Sequence[float | None]) -> bool:
    """Whether the values are counts: by the metric's unit, or whole numbers of no metric."""
    if metric is not None:
        return is_count(metric)
    return all(value is None or float(value).is_integer() for value in values)


def _move(verdict: Verdict, mark: Mark) -> str:
    old, new = verdict.old_rank, verdict.new_rank
    if verdict.kind in FOUND_IN:
        found = "" if verdict.stage is None else f"found in {mark(verdict.stage)}"
        return ": ".join(part for part in (_units(verdict.units, mark), found) if part)
    fell = old is not None and new is not None and old != new
    lost = "span lost at" if verdict.kind == "span-lost" else "at" if fell else "lost at"
    stage = "" if verdict.stage is None else f"{lost} {mark(verdict.stage)}"
    moved = ", ".join(part for part in (_ranks(old, new), stage) if part)
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


def _ranks(old: int | None, new: int | None) -> str:
    if old == new:
        return "" if old is None else f"rank {old}"
    return f"rank {_rank(old)} -> {_rank(new)}"


def _rank(rank: int | None) -> str:
    return "not returned" if rank is None else str(rank)


def difference_line(difference: Difference, mark: Mark) -> str:
    """One sentence on where the second run left the first."""
    where = "" if difference.rank is None else f", rank {difference.rank}"
    tolerated = " (a tie: tolerated)" if difference.tolerated else ""
    asked = "a held-out query" if difference.query is None else f"query {mark(difference.query)}"
    return f"{asked}, {mark(difference.ablation)}{where}: the runs differ in {difference.cause.value}{tolerated}"


def difference_title(report: Report) -> str:
    """What the differences amount to; a tie that is tolerated is no failure."""
    red = len(red_differences(report))
    tolerated = len(report.differences) - red
    if not red:
        return f"Ties that the two runs order differently, tolerated: {tolerated}"
    return f"The two runs differ: {red}" + (f", and {tolerated} tolerated" if tolerated else "")


def retriever_line(failure: RetrieverFailure, mark: Mark) -> str:
    """One sentence on how a retriever failed; its detail names ids, fields and numbers only."""
    return f"{retriever_subject(failure, mark)}: {retriever_finding(failure, mark)}"


def retriever_subject(failure: RetrieverFailure, mark: Mark) -> str:
    """Which run failed, and under which ablation."""
    return f"run {failure.run}" + ("" if failure.ablation is None else f", {mark(failure.ablation)}")


def retriever_finding(failure: RetrieverFailure, mark: Mark) -> str:
    """How it failed."""
    return f"{mark(failure.code)}: {mark(failure.detail)}"


def shown_failures(failed: Sequence[Verdict], most: int) -> tuple[Verdict, ...]:
    """The failures that an output of `most` has room for, in their order: no kind crowds out the others."""
    kinds = Counter(verdict.kind for verdict in failed)
    each = max(LEAST_OF_A_KIND, most // max(1, len(kinds)))
    seen: Counter[str] = Counter()
    shown: list[Verdict] = []
    for verdict in failed:
        seen[verdict.kind] += 1
        if seen[verdict.kind] <= each:
            shown.append(verdict)
    return tuple(shown[:most])


def kind_counts(verdicts: Sequence[Verdict], mark: Mark) -> str:
    """How many verdicts there are of each kind, in their order."""
    counts = Counter(verdict.kind for verdict in verdicts)
    return ", ".join(f"{mark(kind)} {count}" for kind, count in counts.items())


def note_line(verdict: Verdict, mark: Mark) -> str:
    """One sentence for a verdict that does not block."""
    about = subject(replace(verdict, metric=None) if verdict.kind in NAMES_ITS_METRIC else verdict, mark)
    found = "; ".join(finding(verdict, mark))
    return ": ".join(part for part in (mark(verdict.kind), about, found) if part)


def unchecked_gate(verdict: Verdict, mark: Mark) -> str:
    """One sentence for a gate that could not be judged, with what would make it so."""
    action = UNLABELLED.get(verdict.kind) or action_of(verdict)
    return f"{note_line(verdict, mark)}; {action}"
