"""What is judged without a configuration: the first seed's five ablations and its quality gates."""

from __future__ import annotations

from retrieval_gate.base.config import (
    ZERO_TOLERANCE,
    AblationSpec,
    Channel,
    Config,
    EngineSettings,
    GateKind,
    GateSpec,
)
from retrieval_gate.base.ids import AblationId, MetricId, SliceId

BUILTIN = "builtin"
ALL = SliceId("all")
MAX_DROP = 0.0
SLACK = 1e-9
ALIAS_NOTE = "Fixture-aware regression plumbing, not a measure of embedding quality."

WRONG_STATE = "wrong-state"

DEFAULT_METRICS = tuple(
    MetricId(name)
    for name in (
        "recall@5",
        "recall@10",
        "hit@10",
        "mrr@10",
        "ndcg@10",
        "context-precision",
        "context-recall",
        "context-precision-macro",
        "context-recall-macro",
        "no-answer-fpr",
        *ZERO_TOLERANCE,
    )
)


def _builtin(name: str, *channels: str, rerank: bool = False) -> AblationSpec:
    weighted = tuple(Channel(name=channel, weight=1.0) for channel in channels)
    return AblationSpec(id=AblationId(name), retriever=BUILTIN, channels=weighted, rerank=rerank)


def _gate(kind: GateKind, metric: str, bound: float, reference: str | None = None) -> GateSpec:
    return GateSpec(
        kind=kind,
        ablation=AblationId("hybrid-rerank"),
        metric=MetricId(metric),
        slice=ALL,
        bound=bound,
        reference=None if reference is None else AblationId(reference),
    )


DEFAULT_ABLATIONS = (
    _builtin("lexical", "lexical"),
    _builtin("token-hash-vector", "token-hash-vector"),
    _builtin("regression-alias-vector", "regression-alias-vector"),
    _builtin("hybrid", "lexical", "regression-alias-vector"),
    _builtin("hybrid-rerank", "lexical", "regression-alias-vector", rerank=True),
)

DEFAULT_GATES = (
    _gate(GateKind.FLOOR, "mrr@10", 0.78),
    _gate(GateKind.FLOOR, "ndcg@10", 0.75),
    _gate(GateKind.CEILING, "no-answer-fpr", 0.34),
    _gate(GateKind.MAX_BELOW, "ndcg@10", 0.05, "hybrid"),
)


def default_config() -> Config:
    """The configuration of a run without a file."""
    return Config(
        fixture=None,
        baseline=None,
        metrics=DEFAULT_METRICS,
        ablations=DEFAULT_ABLATIONS,
        engine=EngineSettings(),
        aliases=None,
        gates=DEFAULT_GATES,
        max_drop=MAX_DROP,
        slack=SLACK,
        allowances=(),
        waivers=(),
        defaults=True,
    )


def gates_still_due(ablations: tuple[AblationSpec, ...]) -> tuple[GateSpec, ...]:
    """The default gates whose ablations are all among `ablations` with their default settings.

    An ablation that only shares a default one's id is another system, for which the bounds were not made.
    """
    kept = {spec.id for spec in ablations if spec in DEFAULT_ABLATIONS}
    return tuple(
        gate
        for gate in DEFAULT_GATES
        if gate.ablation in kept and (gate.reference is None or gate.reference in kept)
    )
