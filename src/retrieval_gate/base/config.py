"""The configuration as names and numbers; nothing here is yet bound to a table (see `Plan`)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId
from retrieval_gate.base.transport import DEFAULT_TRANSPORT, Transport


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceThreshold:
    """The least evidence (0..1) with which the engine answers a query in `script` (see `engine.text`)."""

    script: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """Settings of the embedded engine that every built-in ablation shares.

    candidates: chunks that each channel hands to fusion. rrf_k: the constant of reciprocal-rank fusion.
    rerank_depth: how many fused candidates the reranker sees. context_characters: the budget of the context,
    in code points. neighbours: chunks on each side of a hit that are added to the context. abstention: whether
    a list below its evidence threshold is withheld; thresholds: one per script, empty means the engine's own.
    """

    candidates: int = 40
    rrf_k: int = 60
    rerank_depth: int = 20
    context_characters: int = 16_000
    neighbours: int = 0
    abstention: bool = True
    thresholds: tuple[EvidenceThreshold, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    id: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasTable:
    """Fixture-aware regression plumbing: words that share a concept match across languages."""

    note: str
    concepts: tuple[Concept, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A source of candidates and its weight in fusion, e.g. `lexical` or `token-hash-vector`."""

    name: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationSpec:
    """One retrieval path to be judged.

    `channels` and `rerank` are settings of the built-in retriever only, `transport` of all others.
    """

    id: AblationId
    retriever: str
    channels: tuple[Channel, ...] = ()
    rerank: bool = False
    transport: Transport = DEFAULT_TRANSPORT

    @property
    def scheme(self) -> str:
        """The kind of retriever: what stands before the first colon."""
        return self.retriever.partition(":")[0]

    @property
    def address(self) -> str:
        """Which retriever of its kind: what stands behind the first colon."""
        return self.retriever.partition(":")[2]


# The metrics that count what must never be: judged by a rule of their own, never as a drop, and never allowed.
ZERO_TOLERANCE = ("permission-leaks", "stale-evidence", "wrong-state")


class GateKind(StrEnum):
    """The absolute gates that a configuration can name."""

    FLOOR = "floor"
    CEILING = "ceiling"
    MAX_BELOW = "max-below"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSpec:
    """A bound on one value. For MAX_BELOW, `metric` may be at most `bound` below ablation `reference`'s."""

    kind: GateKind
    ablation: AblationId
    metric: MetricId
    slice: SliceId
    bound: float
    reference: AblationId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How much `metric` may fall below the baseline; None in a field matches all."""

    metric: MetricId | None
    ablation: AblationId | None
    slice: SliceId | None
    max_drop: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A wrong state that is accepted for one query until `expires`."""

    query: QueryId
    reason: str
    expires: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """`fixture`, `baseline` and `held_out` are workspace-relative paths, None where not given.

    `held_out` is the file of held-out queries that belong to the fixture.

    `slack` is the rounding tolerance of every comparison; `max_drop` the default fall that is allowed.
    `defaults` says that the ablations and gates are the product's own, not the file's.
    """

    fixture: str | None
    baseline: str | None
    metrics: tuple[MetricId, ...]
    ablations: tuple[AblationSpec, ...]
    engine: EngineSettings
    aliases: AliasTable | None
    gates: tuple[GateSpec, ...]
    max_drop: float
    slack: float
    allowances: tuple[Allowance, ...]
    waivers: tuple[Waiver, ...]
    defaults: bool
    held_out: str | None = None
