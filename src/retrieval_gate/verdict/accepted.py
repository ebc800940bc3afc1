"""What a team has accepted: the content of the committed baseline file.

It carries all that a later change is held against, so that a change of the gate itself can be seen too: the bounds
in force, the labels of each query, who may see what, and the integers that every aggregate is recomputed from.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from retrieval_gate.base.config import Allowance, GateSpec
from retrieval_gate.base.fixture import Split, State
from retrieval_gate.base.hashes import Definition
from retrieval_gate.base.ids import AblationId, ChunkId, MetricId, QueryId, SliceId, UnitId
from retrieval_gate.base.order import first_occurrences
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.scores import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Every bound in force. `waivers` are queries whose wrong state is accepted, each until its date."""

    gates: tuple[GateSpec, ...]
    max_drop: float
    slack: float
    allowances: tuple[Allowance, ...]
    waivers: tuple[tuple[QueryId, date], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledUnit:
    """One judgment: the unit's grade, 1 or more, and a short digest of each of its spans, in label order."""

    unit: UnitId
    grade: int
    spans: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuery:
    """One development query: the hash of its labels (64 hex digits), and the labels apart.

    `asked` is a short digest of what is asked, and as whom: a query whose labels moved while this stayed is the
    same question under other labels. `judgments` are sorted by unit.
    """

    id: QueryId
    labels: str
    slices: tuple[SliceId, ...]
    forbidden: tuple[ChunkId, ...]
    stale: tuple[ChunkId, ...]
    asked: str
    expected_state: State | None
    judgments: tuple[LabelledUnit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Who may see a document, or what a principal holds; values as short digests, so that sets compare.

    `tenant` None: any tenant (of a document), no tenant (of a principal). A public document has no guard.
    """

    subject: Literal["document", "principal"]
    id: str
    tenant: str | None
    attributes: tuple[tuple[str, tuple[str, ...]], ...]


# Held-out queries are told of as one slice, without ids.
HELD_OUT = SliceId(f"split={Split.HELDOUT.value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """The held-out queries: a short digest of each one's id and labels, sorted, and the slices that hold any."""

    labels: tuple[str, ...]
    slices: tuple[SliceId, ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The committed baseline; `definition.queries` and `queries` leave out held-out queries.

    Rows cover all queries, records the development queries only. All tuples are in the file's order.
    `environment` is a note of name and version, outside every hash.
    """

    fixture_id: str
    fixture_version: int
    definition: Definition
    metric_version: str
    metrics: tuple[MetricId, ...]
    exempt: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    reason: str | None
    bounds: Bounds
    guards: tuple[Guard, ...]
    held_out: HeldOut
    queries: tuple[LabelledQuery, ...]
    rows: tuple[Row, ...]
    records: tuple[QueryRecord, ...]

    @property
    def ablations(self) -> tuple[AblationId, ...]:
        """The ablations that were measured."""
        return first_occurrences(row.ablation for row in self.rows)

    @property
    def slices(self) -> tuple[SliceId, ...]:
        """The slices that were measured."""
        return first_occurrences(row.slice for row in self.rows)


def gate_identity(gate: GateSpec) -> tuple[str, ...]:
    """What a gate is about, apart from its bound; also its order in the file."""
    return (gate.kind.value, gate.ablation, gate.metric, gate.slice, gate.reference or "")


def allowance_identity(allowance: Allowance) -> tuple[str, ...]:
    """What an allowance is about, apart from its size; also its order in the file."""
    return (allowance.metric or "", allowance.ablation or "", allowance.slice or "")


def row_identity(row: Row) -> tuple[AblationId, SliceId, MetricId]:
    """What a row is about; also its order in the file."""
    return (row.ablation, row.slice, row.metric)


def record_identity(record: QueryRecord) -> tuple[QueryId, AblationId]:
    """What a record is about; also its order in the file."""
    return (record.query, record.ablation)
