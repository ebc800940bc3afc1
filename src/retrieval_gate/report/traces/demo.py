"""The lesson: five traces, five mechanisms of failure that no average shows, and one repair that is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from retrieval_gate.base.ids import QueryId
from retrieval_gate.base.trace import Trace
from retrieval_gate.base.verdict import Verdict
from retrieval_gate.inputs.traces import LoadedTraces
from retrieval_gate.report import phrases
from retrieval_gate.report.outputs.style import Style, Tone, plain, wrap
from retrieval_gate.report.traces import compare_text, text
from retrieval_gate.report.traces.build import score
from retrieval_gate.report.traces.compare import compare
from retrieval_gate.report.traces.report import TraceReport, failures
from retrieval_gate.verdict.kinds import kind_of

LESSON_K = 2
# The lesson knows what was done to its trace.
_TAG = "simulated"
_NOTE = (
    "simulated: a supplied trace was changed. No search implementation was changed or tested; run the same "
    "queries against the real system."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What is to be learnt of one kind of failure: what the trace shows, and why that blocks."""

    kind: str
    happened: str
    blocks: str


LESSONS = (
    Lesson(
        kind="incomplete-evidence",
        happened="The rule came back and its exception did not. Hit and reciprocal rank are perfect.",
        blocks="An answer from the rule alone sounds right and is wrong for everyone whom the exception covers.",
    ),
    Lesson(
        kind="permission-leak",
        happened="Every relevant chunk came back, and above it one that this reader may not see.",
        blocks="It is in the model's context, in logs, perhaps in a citation. No recall makes up for that.",
    ),
    Lesson(
        kind="stale-evidence",
        happened="The version that was replaced came back in place of the one in force.",
        blocks="The answer would quote a source, confidently, that is no longer true.",
    ),
    Lesson(
        kind="unsupported-answer",
        happened="Nothing in the corpus answers the question. A chunk near it came back, and was answered from.",
        blocks="A chunk on the same matter is no support: the answer is a guess. Recall has nothing to say here.",
    ),
    Lesson(
        kind="over-abstention",
        happened="The right chunk came back first, and the system declined to answer.",
        blocks="The reader is turned away from an answer that exists. Recall is 1 already: it needs no raising.",
    ),
)
_BY_KIND = {lesson.kind: lesson for lesson in LESSONS}


def render_demo(loaded: LoadedTraces, style: Style) -> str:
    """The whole lesson; each line at most `style.width` cells, no line end after the last."""
    report = score(loaded, LESSON_K)
    leak = next(verdict.query for verdict in report.verdicts if verdict.kind == "permission-leak")
    comparison = compare(loaded, repaired(loaded, leak), LESSON_K)
    return text.joined(
        _opening(report, style),
        text.table(report, style),
        *(_mechanism(place, verdict, style) for place, verdict in enumerate(_in_order(report), start=1)),
        _average(report, style),
        _repair(style),
        compare_text.changed(comparison, style, _TAG, _NOTE),
        compare_text.stayed(comparison, style),
        text.scope(report, style),
        _closing(style),
    )


def repaired(loaded: LoadedTraces, name: QueryId | None) -> LoadedTraces:
    """The same traces, the forbidden chunks taken out of the hits of one: what a repair would look like."""
    traces = tuple(_permitted(trace) if trace.id == name else trace for trace in loaded.traces.traces)
    return replace(loaded, traces=replace(loaded.traces, traces=traces))


def _permitted(trace: Trace) -> Trace:
    return replace(trace, hits=tuple(hit for hit in trace.hits or () if hit not in trace.forbidden))


def _in_order(report: TraceReport) -> list[Verdict]:
    """The failures in the order of the traces."""
    order = {result.record.query: place for place, result in enumerate(report.results)}
    return sorted(failures(report), key=lambda verdict: -1 if verdict.query is None else order[verdict.query])


def _opening(report: TraceReport, style: Style) -> Iterator[str]:
    yield style.paint("Five supplied traces, five failures that an average hides", Tone.STRONG)
    said = (
        "Each trace is a question's labels and what a retriever is said to have returned, scored at "
        f"k = {report.k}. They are made up for teaching: nothing is run. '-' is not applicable, or not checked."
    )
    yield from wrap(said, style.width)


def _mechanism(place: int, verdict: Verdict, style: Style) -> Iterator[str]:
    kind, lesson = kind_of(verdict.kind), _BY_KIND[verdict.kind]
    yield style.paint(f"{place}. {plain(verdict.query or '')}: {kind.title}", Tone.BAD)
    found = "; ".join(phrases.finding(verdict, plain))
    said = (
        f"shown: {found}",
        f"what happened: {lesson.happened}",
        f"why it blocks: {lesson.blocks}",
        f"first: {kind.action}",
    )
    for line in said:
        yield from wrap(line, style.width, first=text.INDENT, rest=text.INDENT * 2)


def _average(report: TraceReport, style: Style) -> Iterator[str]:
    yield from text.relevance(report, style)
    said = "None of the five can be told from these. So each check is counted on its own, and each failure blocks."
    yield from wrap(said, style.width, first=text.INDENT, rest=text.INDENT)


def _repair(style: Style) -> Iterator[str]:
    said = (
        "Now the forbidden chunk is taken out of one trace, as a repair of the system would. That trace passes, "
        "and the other failures stay."
    )
    yield style.paint("A repair, simulated", Tone.STRONG)
    yield from wrap(said, style.width)


def _closing(style: Style) -> Iterator[str]:
    yield style.paint("YOUR OWN", Tone.STRONG)
    yield f"{text.INDENT}retrieval-gate score traces.json --k 2"
    yield f"{text.INDENT}retrieval-gate compare before.json after.json --k 2"
    yield f"{text.INDENT}retrieval-gate run --fixture fixture.json"
    said = "The first two score what a file says; the third runs a retriever. This lesson ends with exit code 1."
    yield from wrap(said, style.width)
