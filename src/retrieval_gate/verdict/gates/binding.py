"""Gates are checked against the tables before anything is run."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from math import isfinite

from retrieval_gate.base.config import Config, GateKind
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.ids import AblationId, SliceId
from retrieval_gate.base.names import nearest
from retrieval_gate.scoring.metrics.table import parse_metric
from retrieval_gate.scoring.slices import ALL, SLICES
from retrieval_gate.verdict.accepted import allowance_identity, gate_identity


def check_gates(config: Config) -> None:
    """Raise ConfigError for a gate, allowance or waiver that can never be judged.

    Refused: a metric, ablation or kind of slice that no table has, a bound that is not a finite number, a negative
    max-drop or slack, a reference that is missing, superfluous or the ablation itself, and the same gate twice. A
    slice or value that is only absent from this run is not refused: it is judged as not measured, and fails.
    """
    known = [spec.id for spec in config.ablations]
    for gate in config.gates:
        parse_metric(gate.metric)
        _check_ablation(gate.ablation, known)
        _check_finite(gate.bound, "a gate's bound")
        _check_slice(gate.slice)
        _check_reference(gate.kind, gate.ablation, gate.reference, known)
    for allowance in config.allowances:
        if allowance.metric is not None:
            parse_metric(allowance.metric)
        if allowance.ablation is not None:
            _check_ablation(allowance.ablation, known)
        if allowance.slice is not None:
            _check_slice(allowance.slice)
        _check_tolerance(allowance.max_drop, "max-drop")
    _check_tolerance(config.max_drop, "max-drop")
    _check_tolerance(config.slack, "slack")
    _check_single((gate_identity(gate) for gate in config.gates), "gate")
    _check_single((allowance_identity(item) for item in config.allowances), "allowance")
    _check_single((waiver.query for waiver in config.waivers), "waiver")


def _check_ablation(ablation: AblationId, known: Sequence[AblationId]) -> None:
    if ablation in known:
        return
    hint = nearest(ablation, known)
    raise ConfigError(
        "unknown-ablation",
        "a gate names an ablation that is not configured" + (f"; the nearest is {hint}" if hint else ""),
        fix=f"choose from {', '.join(known)}",
    )


def _check_slice(slice_id: SliceId) -> None:
    """A group may be absent from this fixture; a way to group queries that no table has never comes."""
    family, _, value = slice_id.partition("=")
    grouped = [row.id for row in SLICES if row.id != ALL]
    if slice_id == ALL or (value and family in grouped):
        return
    hint = nearest(family, [ALL, *grouped])
    raise ConfigError(
        "unknown-slice",
        "a gate or an allowance names a slice of a kind that does not exist"
        + (f"; the nearest is {hint}" if hint else ""),
        fix=f"write {ALL}, or one of {', '.join(f'{name}=...' for name in grouped)}",
    )


def _check_reference(
    kind: GateKind, ablation: AblationId, reference: AblationId | None, known: Sequence[AblationId]
) -> None:
    if (kind is GateKind.MAX_BELOW) != (reference is not None) or reference == ablation:
        raise ConfigError(
            "bad-reference",
            f"gate {kind.value} on {ablation}: a reference is needed by max-below only, and is another ablation",
            fix="name the ablation to compare with, or remove the reference",
        )
    if reference is not None:
        _check_ablation(reference, known)


def _check_finite(bound: float, name: str) -> None:
    if not isfinite(bound):
        raise ConfigError("bad-bound", f"{name} is not a finite number", fix="give a finite number")


def _check_tolerance(value: float, name: str) -> None:
    _check_finite(value, name)
    if value < 0:
        raise ConfigError("bad-bound", f"{name} is negative", fix="give 0 or more")


def _check_single(identities: Iterator[Hashable], name: str) -> None:
    seen: set[Hashable] = set()
    for identity in identities:
        if identity in seen:
            raise ConfigError(
                "duplicate-gate", f"the configuration holds the same {name} twice", fix="keep one of the two"
            )
        seen.add(identity)
