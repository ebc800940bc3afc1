"""What counts as a loosening against the base branch, worst first, and what was loosened.

A pull request brings its own configuration, fixture and committed baseline, so none of these can approve it. The
base branch's baseline file can: it says which bounds, labels, access and results the team has agreed on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from retrieval_gate.base.canonical import short_digest
from retrieval_gate.base.ids import AblationId, QueryId
from retrieval_gate.base.verdict import Approval
from retrieval_gate.verdict.accepted import Baseline
from retrieval_gate.verdict.loosening import access, bounds, labels, records, scope
from retrieval_gate.verdict.loosening.finding import Loosening, Sides, sides

# What only the committed baseline has loosened; the run itself has not.
IN_BASELINE = "loosened-baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseningRule:
    """One way to ask for less; `find` yields it with `id` as its rule. The place in the table is its severity."""

    id: str
    title: str
    explanation: str
    find: Callable[[Sides], Iterator[Loosening]]


def _none(_sides: Sides) -> Iterator[Loosening]:
    return iter(())


LOOSENINGS: tuple[LooseningRule, ...] = (
    LooseningRule(
        id="loosened-forbidden-gone",
        title="forbidden label removed",
        explanation="A chunk that the base branch forbids to a query is not forbidden to it any more.",
        find=labels.forbidden,
    ),
    LooseningRule(
        id="loosened-stale-gone",
        title="stale label removed",
        explanation="A chunk that the base branch holds out of date for a query is not labelled so any more.",
        find=labels.stale,
    ),
    LooseningRule(
        id="loosened-access",
        title="access to a document widened",
        explanation=(
            "A document that the base branch guards lets more principals in: its access is gone (or the document "
            "itself), it has another tenant or none, or one of its attributes is gone or has a new value."
        ),
        find=access.document,
    ),
    LooseningRule(
        id="loosened-principal",
        title="principal given more",
        explanation="A principal has another tenant, or holds an attribute or value that it did not hold.",
        find=access.principal,
    ),
    LooseningRule(
        id="loosened-checks",
        title="fewer chunks forbidden or stale",
        explanation=(
            "The policy keeps fewer chunks from the same questions than on the base branch: documents are gone, "
            "or their access, dates or index state say something else. The values count the chunks over all "
            "queries and ablations that have fewer."
        ),
        find=records.checks,
    ),
    LooseningRule(
        id="loosened-state",
        title="expected state removed or changed",
        explanation="The answer state that the base branch expects of a query is gone, or is the other one.",
        find=labels.state,
    ),
    LooseningRule(
        id="loosened-state-not-given",
        title="answer state not given any more",
        explanation="A query's answer state was checked on the base branch, and the retriever gives none now.",
        find=records.state_not_given,
    ),
    LooseningRule(
        id="loosened-waiver-added",
        title="waiver added",
        explanation="A wrong answer state is accepted that the base branch does not accept.",
        find=bounds.waiver_added,
    ),
    LooseningRule(
        id="loosened-waiver-extended",
        title="waiver extended",
        explanation="A wrong answer state is accepted for longer than on the base branch.",
        find=bounds.waiver_extended,
    ),
    LooseningRule(
        id="loosened-gate-gone",
        title="gate removed",
        explanation="A gate of the base branch is not in the configuration.",
        find=bounds.gate_gone,
    ),
    LooseningRule(
        id="loosened-floor",
        title="floor lowered",
        explanation="A floor is lower than on the base branch.",
        find=bounds.floor,
    ),
    LooseningRule(
        id="loosened-ceiling",
        title="ceiling raised",
        explanation="A ceiling is higher than on the base branch.",
        find=bounds.ceiling,
    ),
    LooseningRule(
        id="loosened-max-below",
        title="max-below raised",
        explanation="One ablation may be further below another than on the base branch.",
        find=bounds.max_below,
    ),
    LooseningRule(
        id="loosened-max-drop",
        title="max-drop raised",
        explanation="Values may fall further below the baseline than on the base branch.",
        find=bounds.max_drop,
    ),
    LooseningRule(
        id="loosened-allowance",
        title="allowance widened",
        explanation=(
            "Some values may fall further below the baseline than on the base branch: an allowance was added or "
            "raised, or one that was stricter than the rest was removed."
        ),
        find=bounds.allowance,
    ),
    LooseningRule(
        id="loosened-slack",
        title="slack raised",
        explanation="The rounding tolerance of every comparison is larger than on the base branch.",
        find=bounds.slack,
    ),
    LooseningRule(
        id="loosened-ablation-gone",
        title="ablation removed",
        explanation="An ablation of the base branch was not run, and --ablations has not left it out.",
        find=scope.ablation,
    ),
    LooseningRule(
        id="loosened-metric-gone",
        title="metric removed",
        explanation="A metric of the base branch was not computed.",
        find=scope.metric,
    ),
    LooseningRule(
        id="loosened-slice-gone",
        title="slice removed",
        explanation="A slice of the base branch holds no query.",
        find=scope.slice_gone,
    ),
    LooseningRule(
        id="loosened-query-gone",
        title="query removed",
        explanation="A query of the base branch is not in the fixture.",
        find=scope.query_gone,
    ),
    LooseningRule(
        id="loosened-query-held-out",
        title="query moved to the held-out split",
        explanation=(
            "A development query of the base branch is held out: nothing is held against its own values any more."
        ),
        find=scope.query_held_out,
    ),
    LooseningRule(
        id="loosened-held-out",
        title="held-out queries removed or edited",
        explanation=(
            "Some held-out queries of the base branch are gone or have other labels. They are compared without "
            "their ids; the values count how many there were and how many are as they were."
        ),
        find=scope.held_out,
    ),
    LooseningRule(
        id="loosened-query-edited",
        title="query edited",
        explanation=(
            "A query's text, language, time, principal, level of judgment, or whether it has an answer, differs "
            "from the base branch: it can not be held against its results there."
        ),
        find=labels.edited,
    ),
    LooseningRule(
        id="loosened-judgment-gone",
        title="judgment removed",
        explanation="A unit that the base branch judges relevant to a query is not judged any more.",
        find=labels.judgment,
    ),
    LooseningRule(
        id="loosened-grade",
        title="grade lowered",
        explanation="A judged unit has a lower grade than on the base branch.",
        find=labels.grade,
    ),
    LooseningRule(
        id="loosened-span-gone",
        title="annotated span removed",
        explanation="An answer span of the base branch is not annotated any more, or has another text.",
        find=labels.span,
    ),
    LooseningRule(
        id="loosened-slice-left",
        title="query left a slice",
        explanation="A query does not belong to a slice that it belongs to on the base branch.",
        find=labels.slice_left,
    ),
    LooseningRule(
        id="loosened-exempt",
        title="lint exemption added",
        explanation="The fixture exempts more texts from the lint rules than on the base branch.",
        find=labels.exempt,
    ),
    LooseningRule(
        id="loosened-query-worse",
        title="query worse than on the base branch",
        explanation=(
            "By the labels, metrics and drops of the base branch, a query lost a judged unit, an answer span or "
            "value, and it does not fail against the committed baseline: the loss was accepted there, or there is "
            "none."
        ),
        find=records.query_worse,
    ),
    LooseningRule(
        id=IN_BASELINE,
        title="committed baseline loosened",
        explanation=(
            "The committed baseline asks for less than the base branch's, though this run does not: once merged, "
            "it would be what later changes are held against."
        ),
        find=_none,
    ),
)
_SEVERITY = {rule.id: place for place, rule in enumerate(LOOSENINGS)}


def loosenings(
    base: Baseline,
    now: Baseline,
    *,
    committed: Baseline | None = None,
    hidden: Collection[QueryId] | None = None,
    not_run: Collection[AblationId] = (),
    red: Collection[tuple[AblationId, QueryId]] = (),
) -> tuple[Loosening, ...]:
    """What `base` asks for and `now` does not, worst first; pure, and none where both are the same.

    `now` is the candidate of this run, or any baseline. `committed` is the baseline file beside it: what it alone
    has loosened is found too, under `loosened-baseline`. For the others see `Sides`.
    """
    found = _found(sides(base, now, hidden=hidden, not_run=not_run, red=red))
    if committed is not None and _content(committed) not in (_content(base), _content(now)):
        known = frozenset(found)
        more = (item for item in _found(sides(base, committed, hidden=hidden)) if item not in known)
        found += [replace(item, rule=IN_BASELINE, name=item.rule) for item in more]
    return tuple(sorted(found, key=_place))


def approval_hash(found: Sequence[Loosening]) -> str | None:
    """16 hex digits that stand for exactly these loosenings, values included, in any order; None for none."""
    return short_digest(sorted(found, key=_place)) if found else None


def approval(found: Sequence[Loosening], given: str | None) -> Approval | None:
    """Whether the hash `given` approves what was found; None where there is nothing to approve."""
    expected = approval_hash(found)
    if expected is None:
        return None
    given = (given or "").strip().lower()
    return Approval(hash=expected, count=len(found), approved=given == expected, stale=given not in ("", expected))


def names(found: Sequence[Loosening]) -> frozenset[str]:
    """Every name that the loosenings say: some are known to the base branch's baseline only."""
    return frozenset(
        name
        for item in found
        for name in (item.ablation, item.slice, item.metric, item.reference, item.query, item.name, *item.units)
        if name is not None
    )


def _content(baseline: Baseline) -> Baseline:
    """Without the notes, which ask for nothing."""
    return replace(baseline, reason=None, environment=())


def _found(both: Sides) -> list[Loosening]:
    return [item for rule in LOOSENINGS for item in rule.find(both)]


def _place(item: Loosening) -> tuple[Any, ...]:
    """A total order: by rule, the larger change first, then by what it is about."""
    about = (item.query, item.ablation, item.slice, item.metric, item.reference, item.name)
    return (
        _SEVERITY[item.rule],
        -_size(item),
        tuple(name or "" for name in about),
        item.units,
        str(item.before),
        str(item.now),
        item.content or "",
    )


def _size(item: Loosening) -> float:
    """How far a bound, date or value moved; the whole of it where there is none now."""
    before, now = item.before, item.now
    if isinstance(before, date) or isinstance(now, date):
        return float((now - before).days) if isinstance(before, date) and isinstance(now, date) else 0.0
    return abs((before or 0.0) - (now or 0.0))
