"""Looser bounds: gates, drops, rounding tolerance and waivers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import gt, lt

from retrieval_gate.base.config import GateKind, GateSpec
from retrieval_gate.verdict.accepted import gate_identity
from retrieval_gate.verdict.drops import widened
from retrieval_gate.verdict.loosening.finding import Loosening, Sides


def gate_gone(sides: Sides) -> Iterator[Loosening]:
    """Gates that are not configured any more, whatever stands in their place."""
    now = {gate_identity(gate) for gate in sides.now.bounds.gates}
    for gate in sides.base.bounds.gates:
        if gate_identity(gate) not in now:
            yield replace(_of_gate("loosened-gate-gone", gate), name=gate.kind.value)


def floor(sides: Sides) -> Iterator[Loosening]:
    """Floors that are lower."""
    return _moved(sides, "loosened-floor", GateKind.FLOOR, lt)


def ceiling(sides: Sides) -> Iterator[Loosening]:
    """Ceilings that are higher."""
    return _moved(sides, "loosened-ceiling", GateKind.CEILING, gt)


def max_below(sides: Sides) -> Iterator[Loosening]:
    """Distances to another ablation that may be larger."""
    return _moved(sides, "loosened-max-below", GateKind.MAX_BELOW, gt)


def _moved(
    sides: Sides, rule: str, kind: GateKind, is_looser: Callable[[float, float], bool]
) -> Iterator[Loosening]:
    now = {gate_identity(gate): gate.bound for gate in sides.now.bounds.gates}
    for gate in sides.base.bounds.gates:
        bound = now.get(gate_identity(gate))
        if gate.kind is kind and bound is not None and is_looser(bound, gate.bound):
            yield replace(_of_gate(rule, gate), now=bound)


def _of_gate(rule: str, gate: GateSpec) -> Loosening:
    return Loosening(
        rule=rule,
        ablation=gate.ablation,
        slice=gate.slice,
        metric=gate.metric,
        reference=gate.reference,
        before=gate.bound,
    )


def max_drop(sides: Sides) -> Iterator[Loosening]:
    """The default drop, where it is larger."""
    for pattern, before, now in widened(sides.base.bounds, sides.now.bounds):
        if not any(pattern):
            yield Loosening(rule="loosened-max-drop", before=before, now=now)


def allowance(sides: Sides) -> Iterator[Loosening]:
    """Values that may drop further, by an allowance that was added, raised, or removed from above a larger one."""
    for pattern, before, now in widened(sides.base.bounds, sides.now.bounds):
        if any(pattern):
            yield Loosening(
                rule="loosened-allowance",
                metric=pattern.metric,
                ablation=pattern.ablation,
                slice=pattern.slice,
                before=before,
                now=now,
            )


def slack(sides: Sides) -> Iterator[Loosening]:
    """The rounding tolerance, where it is larger."""
    before, now = sides.base.bounds.slack, sides.now.bounds.slack
    if now > before:
        yield Loosening(rule="loosened-slack", before=before, now=now)


def waiver_added(sides: Sides) -> Iterator[Loosening]:
    """Queries whose wrong state is accepted only now."""
    before = dict(sides.base.bounds.waivers)
    for query, expires in sides.now.bounds.waivers:
        if query not in before:
            yield Loosening(rule="loosened-waiver-added", query=query, now=expires)


def waiver_extended(sides: Sides) -> Iterator[Loosening]:
    """Waivers that end later."""
    before = dict(sides.base.bounds.waivers)
    for query, expires in sides.now.bounds.waivers:
        if query in before and expires > before[query]:
            yield Loosening(rule="loosened-waiver-extended", query=query, before=before[query], now=expires)
