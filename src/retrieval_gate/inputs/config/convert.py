"""From the validated file to the frozen `Config` that the other rooms read."""

from __future__ import annotations

from retrieval_gate.base.config import (
    AblationSpec,
    AliasTable,
    Allowance,
    Channel,
    Concept,
    Config,
    EngineSettings,
    EvidenceThreshold,
    GateKind,
    GateSpec,
    Waiver,
)
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId
from retrieval_gate.base.order import first_occurrences
from retrieval_gate.inputs.config import model
from retrieval_gate.inputs.config.defaults import DEFAULT_ABLATIONS, DEFAULT_METRICS, gates_still_due
from retrieval_gate.inputs.config.transports import to_transport


def to_config(file: model.ConfigFile) -> Config:
    """What the file says, with the defaults in place of what it leaves out; `rules` has accepted the file.

    Tables whose order means nothing (thresholds, concepts, the words of a concept) are sorted, so that writing
    them in another order moves no hash.
    """
    ablations = DEFAULT_ABLATIONS if file.ablations is None else tuple(map(_ablation, file.ablations))
    gates = gates_still_due(ablations) if file.gates is None else tuple(map(_gate, file.gates))
    return Config(
        fixture=file.fixture,
        baseline=file.baseline,
        metrics=_metrics(file.metrics, gates),
        ablations=ablations,
        engine=_engine(file.engine),
        aliases=None if file.aliases is None else _aliases(file.aliases),
        gates=gates,
        max_drop=file.max_drop,
        slack=file.slack,
        allowances=tuple(map(_allowance, file.allowances)),
        waivers=tuple(map(_waiver, file.waivers)),
        defaults=file.ablations is None and file.gates is None,
        held_out=file.heldout,
    )


def _metrics(named: list[str] | None, gates: tuple[GateSpec, ...]) -> tuple[MetricId, ...]:
    """The metrics named, then those that only gates name: a gate is never left without its value."""
    listed = DEFAULT_METRICS if named is None else tuple(map(MetricId, named))
    return first_occurrences((*listed, *(gate.metric for gate in gates)))


def _engine(table: model.EngineTable) -> EngineSettings:
    return EngineSettings(
        candidates=table.candidates,
        rrf_k=table.rrf_k,
        rerank_depth=table.rerank_depth,
        context_characters=table.context_characters,
        neighbours=table.neighbours,
        abstention=table.abstention,
        thresholds=tuple(
            EvidenceThreshold(script=script, value=value) for script, value in sorted(table.thresholds.items())
        ),
    )


def _aliases(table: model.AliasesTable) -> AliasTable:
    return AliasTable(
        note=table.note,
        concepts=tuple(
            Concept(id=name, aliases=tuple(sorted(words))) for name, words in sorted(table.concepts.items())
        ),
    )


def _ablation(table: model.AblationTable) -> AblationSpec:
    return AblationSpec(
        id=AblationId(table.id),
        retriever=table.retriever,
        channels=tuple(Channel(name=channel.name, weight=channel.weight) for channel in table.channels),
        rerank=table.rerank,
        transport=to_transport(table),
    )


def _gate(table: model.GateTable) -> GateSpec:
    kind, bound, reference = _bound(table)
    return GateSpec(
        kind=kind,
        ablation=AblationId(table.ablation),
        metric=MetricId(table.metric),
        slice=SliceId(table.slice),
        bound=bound,
        reference=reference,
    )


def _bound(table: model.GateTable) -> tuple[GateKind, float, AblationId | None]:
    if table.min is not None:
        return GateKind.FLOOR, table.min, None
    if table.max is not None:
        return GateKind.CEILING, table.max, None
    if table.max_below is not None:
        return GateKind.MAX_BELOW, table.max_below.by, AblationId(table.max_below.ablation)
    raise TypeError("a gate without a bound passed the rule one-bound")


def _allowance(table: model.AllowanceTable) -> Allowance:
    return Allowance(
        metric=None if table.metric is None else MetricId(table.metric),
        ablation=None if table.ablation is None else AblationId(table.ablation),
        slice=None if table.slice is None else SliceId(table.slice),
        max_drop=table.max_drop,
    )


def _waiver(table: model.WaiverTable) -> Waiver:
    return Waiver(query=QueryId(table.query), reason=table.reason, expires=table.expires)
