"""What can be explained, from the tables that define it: metrics, slices, gates, findings, exit codes."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.scores import Direction
from retrieval_gate.inputs.fixture.rules import RULES
from retrieval_gate.report.next_steps import MENDED_BY_ACCEPTING
from retrieval_gate.report.subjects import SUBJECTS, Topic
from retrieval_gate.scoring.metrics.family import Applies, MetricFamily
from retrieval_gate.scoring.metrics.table import FAMILIES
from retrieval_gate.scoring.slices import SLICES
from retrieval_gate.verdict.gates.table import GATES, GateRule
from retrieval_gate.verdict.kind import Kind
from retrieval_gate.verdict.kinds import KINDS
from retrieval_gate.verdict.loosening import LOOSENINGS
from retrieval_gate.verdict.traces import TRACE_GATE, TraceGate

_BETTER = {Direction.HIGHER: "higher is better", Direction.LOWER: "lower is better"}
_OVER = {
    Applies.ANSWERABLE: "the answerable queries",
    Applies.NO_ANSWER: "the no-answer queries",
    Applies.LABELLED: "the queries that carry such a label",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A table of topics; `title` is its heading and `text` what they have in common."""

    title: str
    text: str
    topics: tuple[Topic, ...]


def groups() -> tuple[Group, ...]:
    """Every topic, in the order of the tables."""
    return (
        Group(
            title="Metrics",
            text=(
                "Duplicates are dropped by first occurrence before any cut-off. A metric that does not apply is "
                "null with its n, never 0."
            ),
            topics=tuple(map(_metric, FAMILIES)),
        ),
        Group(
            title="Slices",
            text="Every metric is also computed over these groups of queries.",
            topics=tuple(Topic(id=family.id, text=_sentence(family.explanation)) for family in SLICES),
        ),
        Group(
            title="Gates",
            text="What is held against a bound or against the committed baseline. All that fail are listed.",
            topics=(*map(_gate, GATES), _gate(TRACE_GATE)),
        ),
        Group(
            title="Findings",
            text="The kinds of verdict that the gates give, worst first, each with the first corrective action.",
            topics=tuple(map(_kind, KINDS)),
        ),
        Group(
            title="Subjects",
            text="What several of these have in common, by the word that one would look for.",
            topics=SUBJECTS,
        ),
        Group(
            title="Exit codes",
            text="When several hold, the first of 130, 70, 2, 5, 3, 1, 4 is the exit code and all are printed.",
            topics=tuple(map(_exit, ExitCode)),
        ),
    )


def fixture_rules() -> tuple[Topic, ...]:
    """The rules of a fixture: to be explained by name; `docs/fixture.md` lists them."""
    return tuple(
        Topic(
            id=rule.id,
            text=_sentence(f"{rule.severity.value} of a fixture: {rule.refuses}"),
            facts=(("fix", rule.fix),),
        )
        for rule in RULES
    )


def _metric(family: MetricFamily) -> Topic:
    return Topic(
        id=f"{family.id}@k" if family.takes_cutoff else family.id,
        names=(family.id,),
        text=_sentence(family.formula),
        facts=(
            ("direction", _BETTER[family.direction]),
            ("unit", family.unit),
            ("measured over", _OVER[family.applies]),
            ("source", family.source),
        ),
    )


def _gate(gate: GateRule | TraceGate) -> Topic:
    return Topic(id=gate.id, text=_sentence(gate.explanation), facts=(("findings", ", ".join(gate.kinds)),))


def _kind(kind: Kind) -> Topic:
    return Topic(
        id=kind.id,
        text=_sentence(kind.explanation),
        facts=(("title", kind.title), ("effect", _effect(kind)), ("first action", kind.action)),
    )


def _effect(kind: Kind) -> str:
    if kind.failures:
        failures = ", ".join(kind.failures)
        return f"the row of what was checked; where a check fails, these block the merge: {failures}"
    if not kind.blocking:
        return "a note, which blocks nothing"
    tolerance = ", with zero tolerance" if kind.violation else ""
    return f"blocks the merge{tolerance}; {_acceptance(kind)}"


def _acceptance(kind: Kind) -> str:
    """What besides a repair ends the failure."""
    if kind.id in MENDED_BY_ACCEPTING:
        return "may be accepted with a reason"
    if not kind.acceptable:
        return "can never be accepted"
    if kind.waivable:
        return "no baseline mends it; [[waivers]] in the configuration accepts it for one query until a date"
    if any(kind.id == rule.id for rule in LOOSENINGS):
        return "no baseline mends it; --approve-loosening accepts it"
    return "no baseline mends it"


def _exit(code: ExitCode) -> Topic:
    return Topic(
        id=f"exit-code-{int(code)}",
        names=(str(int(code)), code.name.lower().replace("_", "-")),
        text=_sentence(code.meaning),
    )


def _sentence(text: str) -> str:
    """With a capital and a full stop, so that tables may hold phrases."""
    return text[:1].upper() + text[1:].rstrip(".") + "."
