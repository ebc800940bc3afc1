"""The schema of traces v1: strict, bounded, unknown fields refused. A query's text may be there; it is not read.

An optional field may be null, which says the same as leaving it out.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from retrieval_gate.inputs.fixture import bounds
from retrieval_gate.inputs.fixture.model import ChunkIds, Id, ProvenanceModel, Question
from retrieval_gate.inputs.fixture.refused import Door

SCHEMA_ID = "retrieval-gate/traces/v1"
JUDGMENTS_SCHEMA_ID = "retrieval-gate/judgments/v1"
# The field that lists the records, in a file of each kind.
TRACES, JUDGMENTS = "traces", "judgments"
HITS_PER_TRACE = 10_000

AnswerState = Literal["ANSWERED", "ABSTAINED"]
Hits = Annotated[list[Id], Field(max_length=HITS_PER_TRACE)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


class LabelsModel(_Strict):
    """What is expected of one query."""

    id: Id
    query: Question | None = None
    relevant: ChunkIds
    forbidden: ChunkIds | None = None
    stale: ChunkIds | None = None
    expected: AnswerState | None = None


class AnswerModel(_Strict):
    """What was returned for one query."""

    id: Id
    query: Question | None = None
    hits: Hits
    observed: AnswerState | None = None


class TraceModel(_Strict):
    """One query: what is expected of it and what was returned for it."""

    id: Id
    query: Question | None = None
    relevant: ChunkIds
    forbidden: ChunkIds | None = None
    stale: ChunkIds | None = None
    expected: AnswerState | None = None
    observed: AnswerState | None = None
    hits: Hits


class _Named(_Strict):
    """A file that may name itself."""

    id: Id | None = None
    version: Annotated[int, Field(ge=1, le=bounds.VERSION)] | None = None
    provenance: ProvenanceModel | None = None


class TracesModel(_Named):
    """Supplied traces of Retrieval Gate, format v1.

    A JSON array or JSON Lines hold the records alone. Where the labels stand in a file of their own (--judgments),
    a trace has id, query, observed and hits only.
    """

    schema_: Annotated[Literal["retrieval-gate/traces/v1"] | None, Field(alias="schema")] = None
    traces: Annotated[list[TraceModel], Field(min_length=1, max_length=bounds.QUERIES)]


class RunModel(_Named):
    """A run whose labels stand in a file of judgments."""

    schema_: Annotated[Literal["retrieval-gate/traces/v1"] | None, Field(alias="schema")] = None
    traces: Annotated[list[AnswerModel], Field(min_length=1, max_length=bounds.QUERIES)]


class JudgmentsModel(_Named):
    """The labels of a run, for --judgments. A JSON array or JSON Lines hold the records alone."""

    schema_: Annotated[Literal["retrieval-gate/judgments/v1"] | None, Field(alias="schema")] = None
    judgments: Annotated[list[LabelsModel], Field(min_length=1, max_length=bounds.QUERIES)]


TRACES_DOOR = Door(
    name="traces v1",
    root=TracesModel,
    models={"": TracesModel, "traces": TraceModel, "provenance": ProvenanceModel},
)
RUN_DOOR = Door(
    name="a run with its judgments apart",
    root=RunModel,
    models={"": RunModel, "traces": AnswerModel, "provenance": ProvenanceModel},
)
JUDGMENTS_DOOR = Door(
    name="a file of judgments",
    root=JudgmentsModel,
    models={"": JudgmentsModel, "judgments": LabelsModel, "provenance": ProvenanceModel},
)
