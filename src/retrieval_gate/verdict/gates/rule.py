"""The shape of a gate rule, and the verdicts that several rules give alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from retrieval_gate.base.config import GateKind, GateSpec
from retrieval_gate.base.scores import Row
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.accepted import HELD_OUT
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.states import waived_states

__all__ = ["HELD_OUT", "GateRule", "bounded", "configured", "reference_of", "row_of"]

# The only metric of which a waiver takes cases.
_WRONG_STATE = "wrong-state"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule:
    """One gate. `judge` yields its verdicts in any order; `kinds` names every kind that it can give."""

    id: str
    explanation: str
    kinds: tuple[str, ...]
    judge: Callable[[Case], Iterator[Verdict]]


def configured(case: Case, kind: GateKind) -> Iterator[GateSpec]:
    """The configuration's gates of one kind, in its order."""
    return (gate for gate in case.config.gates if gate.kind is kind)


def row_of(case: Case, gate: GateSpec) -> Row | None:
    """The row that a gate is about, None where its value was not measured; waived wrong states are not counted."""
    row = _measured(case.rows.get((gate.ablation, gate.slice, gate.metric)))
    if row is None or row.value is None or gate.metric != _WRONG_STATE:
        return row
    return replace(row, value=row.value - waived_states(case, gate.ablation, gate.slice))


def reference_of(case: Case, gate: GateSpec) -> Row | None:
    """The reference ablation's row of a gate, None where there is none or its value was not measured."""
    return None if gate.reference is None else row_of(case, replace(gate, ablation=gate.reference))


def _measured(row: Row | None) -> Row | None:
    return None if row is None or row.value is None else row


def bounded(kind: str, row: Row, *, bound: float, passed: bool) -> Verdict:
    """The verdict on one row that is held against an absolute bound."""
    return Verdict(
        kind=kind,
        status=Status.PASSED if passed else Status.FAILED,
        ablation=row.ablation,
        slice=row.slice,
        metric=row.metric,
        value=row.value,
        bound=bound,
        n=row.n,
    )
