"""What another evidence threshold would decide: a diagnostic, for who sets one; it judges nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.report.outputs.style import PLAIN, plain, wrap
from retrieval_gate.report.report import Report

_STEPS = 20
_BAR = 30
_TITLE = "SWEEP of the evidence threshold: a diagnostic, which judges nothing"
_LEGEND = (
    "{} A question is to be answered where that is expected of it or it has judgments. Each mark is a share of "
    "the wrong decisions that any threshold makes: - abstained over good evidence, + answered without support. "
    "* is in force. Thresholds are set by script, in the configuration."
)
_DEVELOPMENT = "Development queries only."
_REVEALED = "Held-out queries are among them, as was asked: tune on the others."
_KEY = "[engine.thresholds] "
NOTHING = "SWEEP: the retrievers give no evidence, so there is no threshold to move"


class _Threshold(NamedTuple):
    """`in_force` None: none is, as with --no-abstention. `script` None: it is not set by script."""

    script: str | None
    in_force: float | None

    @property
    def value(self) -> str:
        """In words."""
        return "no threshold in force" if self.in_force is None else f"threshold {self.in_force:.2f}"

    @property
    def key(self) -> str:
        """Where the configuration sets it, with its script; empty where that is not known."""
        return "" if self.script is None else f"; {_KEY}{plain(self.script)}"


class _Question(NamedTuple):
    evidence: float
    answerable: bool


class _Step(NamedTuple):
    """What a threshold decides wrongly: questions withheld, and answered without support."""

    threshold: float
    withheld: int
    unsupported: int


def sweep(report: Report) -> str:
    """One small plot for each script and threshold in force, and each ablation, or all of them that have the same
    evidence; `NOTHING` without any.

    Over the queries that the report names, so that nobody tunes on held-out ones.
    """
    shared: dict[tuple[_Threshold, tuple[_Question, ...]], list[AblationId]] = {}
    for (ablation, threshold), questions in _groups(report).items():
        shared.setdefault((threshold, tuple(questions)), []).append(ablation)
    plots = ["\n".join(_plot(names, *key)) for key, names in shared.items()]
    covered = _REVEALED if report.fixture.held_out and report.invocation.reveal_held_out else _DEVELOPMENT
    head = "\n".join([_TITLE, *wrap(_LEGEND.format(covered), PLAIN.width)])
    return "\n\n".join([head, *plots]) if plots else NOTHING


def _groups(report: Report) -> dict[tuple[AblationId, _Threshold], list[_Question]]:
    margins = {(margin.ablation, margin.query): margin for margin in report.margins}
    groups: dict[tuple[AblationId, _Threshold], list[_Question]] = {}
    for record in report.records:
        margin = margins.get((record.ablation, record.query))
        answerable = _is_answerable(record)
        if margin is not None and answerable is not None:
            question = _Question(margin.evidence, answerable)
            threshold = _Threshold(margin.script, margin.threshold)
            groups.setdefault((record.ablation, threshold), []).append(question)
    return groups


def _is_answerable(record: QueryRecord) -> bool | None:
    """The expected state where there is one; else whether anything is judged; None for neither."""
    if record.expected_state is not None:
        return record.expected_state is State.ANSWERED
    return bool(record.judged) if record.judged or record.no_answer else None


def _plot(ablations: Sequence[AblationId], threshold: _Threshold, questions: Sequence[_Question]) -> Iterator[str]:
    in_force = threshold.in_force
    answerable = len([question for question in questions if question.answerable])
    counts = f"{answerable} to answer, {len(questions) - answerable} to abstain from"
    yield from wrap(
        f"{', '.join(map(plain, ablations))}, {threshold.value}: {counts}{threshold.key}", PLAIN.width, rest="   "
    )
    steps = [_step(value, questions) for value in _thresholds(in_force)]
    most = max(step.withheld + step.unsupported for step in steps)
    for step in steps:
        mark = "*" if step.threshold == in_force else " "
        bar = "-" * _length(step.withheld, most) + "+" * _length(step.unsupported, most)
        wrong = f"{step.withheld:>4} withheld {step.unsupported:>4} unsupported"
        yield f" {mark} {step.threshold:.2f} {wrong}  {bar}".rstrip()


def _thresholds(in_force: float | None) -> list[float]:
    """Even steps from 0 to 1, and the one in force."""
    even = {step / _STEPS for step in range(_STEPS + 1)}
    return sorted(even if in_force is None else even | {in_force})


def _step(threshold: float, questions: Iterable[_Question]) -> _Step:
    """Without any evidence there is nothing to answer with, whatever the threshold."""
    withheld = unsupported = 0
    for question in questions:
        answered = question.evidence >= threshold and question.evidence > 0
        withheld += question.answerable and not answered
        unsupported += answered and not question.answerable
    return _Step(threshold, withheld, unsupported)


def _length(count: int, most: int) -> int:
    """At least one mark for any wrong decision."""
    return 0 if count == 0 else max(1, round(_BAR * count / most))
