"""The schema of retrieval-gate.toml: strict, bounded, unknown keys refused. Only this room uses it.

Keys are the field names in kebab-case. What one table alone can not say (repeats, names that must exist
elsewhere) is in `rules`.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from retrieval_gate.base.config import EngineSettings
from retrieval_gate.inputs.config.defaults import ALIAS_NOTE, ALL, BUILTIN, MAX_DROP, SLACK
from retrieval_gate.inputs.config.shapes import (
    Alias,
    Id,
    Line,
    Metric,
    RelativePath,
    Script,
    Share,
    Slice,
    Table,
    kebab,
)
from retrieval_gate.inputs.config.transports import (
    ExecTable,
    FieldsTable,
    HttpTable,
    McpTable,
    PythonTable,
    ReplayTable,
    TransportTable,
)

MAX_ABLATIONS = 100

_ENGINE = EngineSettings()


class EngineTable(Table):
    """Settings of the embedded engine that every built-in ablation shares."""

    candidates: int = Field(
        default=_ENGINE.candidates, ge=1, le=10_000, description="Chunks that each channel hands to fusion."
    )
    rrf_k: int = Field(
        default=_ENGINE.rrf_k, ge=1, le=10_000, description="The constant of reciprocal-rank fusion."
    )
    rerank_depth: int = Field(
        default=_ENGINE.rerank_depth, ge=1, le=1_000, description="How many fused candidates the reranker sees."
    )
    context_characters: int = Field(
        default=_ENGINE.context_characters,
        ge=1,
        le=10_000_000,
        description="The context's budget, in code points.",
    )
    neighbours: int = Field(
        default=_ENGINE.neighbours, ge=0, le=10, description="Chunks on each side of a hit that join the context."
    )
    abstention: bool = Field(
        default=_ENGINE.abstention, description="Whether a list below its evidence threshold is withheld."
    )
    thresholds: dict[Script, Share] = Field(
        default={},
        max_length=32,
        description="The least evidence, 0 to 1, with which a query in this script is answered: `latin`, `han`, "
        "`devanagari` or `other`; a script that is left out keeps the engine's own.",
    )


class AliasesTable(Table):
    """Words that share a concept match across languages: fixture-aware regression plumbing."""

    note: Line = Field(default=ALIAS_NOTE, description="What the table is, for those who read it.")
    concepts: dict[Id, Annotated[list[Alias], Field(min_length=1, max_length=64)]] = Field(
        min_length=1,
        max_length=5_000,
        description="The words of each concept; a word may stand under several concepts.",
    )


class ChannelTable(Table):
    """A source of candidates; a text in its place is the channel of this name with weight 1."""

    name: Id = Field(description="The channel, e.g. `lexical`, `token-hash-vector`, `regression-alias-vector`.")
    weight: float = Field(default=1.0, gt=0, le=1_000, allow_inf_nan=False, description="Its weight in fusion.")

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: object) -> object:
        return {"name": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        table = handler.resolve_ref_schema(handler(core))
        return {"anyOf": [table["properties"]["name"], table]}


class AblationTable(TransportTable):
    """One retrieval path to be judged."""

    id: Id = Field(description="Its name in gates, reports and the baseline.")
    retriever: Line = Field(
        default=BUILTIN,
        description="`builtin`, `python:module:attr`, `exec:COMMAND`, `http://…`, `https://…`, `mcp:COMMAND` or "
        "`replay:FILE`.",
    )
    channels: list[ChannelTable] = Field(
        default=[], max_length=8, description="Sources of candidates; the built-in retriever needs one or more."
    )
    rerank: bool = Field(default=False, description="Whether the built-in retriever reranks.")


class BelowTable(Table):
    """How far a value may stay behind another ablation's."""

    ablation: Id = Field(description="The ablation to compare with.")
    by: Share = Field(description="The largest difference that passes.")


# What makes a gate; `rules` holds that exactly one is given.
BOUNDS = ("min", "max", "max-below")


class GateTable(Table):
    """An absolute bound on one value; exactly one of `min`, `max`, `max-below`."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": [bound]} for bound in BOUNDS]})

    ablation: Id = Field(description="The ablation it judges.")
    metric: Metric = Field(description="The metric it judges, e.g. `ndcg@10`; it is measured even if not listed.")
    slice: Slice = Field(default=ALL, description="`all`, `language=en`, `split=dev`, `tag=…`, …")
    min: Share | None = Field(default=None, description="A floor: the value must be at least this.")
    max: Share | None = Field(default=None, description="A ceiling: the value must be at most this.")
    max_below: BelowTable | None = Field(default=None, description="How far it may stay behind another ablation.")


class AllowanceTable(Table):
    """A larger drop against the baseline that passes; a key that is left out matches all."""

    metric: Metric | None = Field(default=None, description="The metric that may drop.")
    ablation: Id | None = Field(default=None, description="The ablation that may drop.")
    slice: Slice | None = Field(default=None, description="The slice that may drop.")
    max_drop: Share = Field(description="The largest drop that passes.")


class WaiverTable(Table):
    """A wrong answer state that is accepted for one query; leaks and stale evidence can not be waived."""

    query: Id = Field(description="The query's id.")
    reason: Line = Field(description="Why, for reviewers.")
    expires: date = Field(description="The last day on which it holds.")


class ConfigFile(Table):
    """The whole configuration; every key is optional."""

    fixture: RelativePath | None = Field(
        default=None, description="The labelled fixture, relative to the working folder."
    )
    baseline: RelativePath | None = Field(
        default=None, description="The committed baseline, relative to the working folder."
    )
    heldout: RelativePath | None = Field(
        default=None,
        description="A file with the held-out queries of the fixture, relative to the working folder: "
        "a JSON object with `queries`.",
    )
    metrics: list[Metric] | None = Field(
        default=None, min_length=1, max_length=100, description="What is measured, in this order."
    )
    max_drop: Share = Field(default=MAX_DROP, description="How far a value may fall below the baseline.")
    slack: float = Field(
        default=SLACK, ge=0, le=0.001, allow_inf_nan=False, description="The rounding tolerance of comparisons."
    )
    engine: EngineTable = Field(default=EngineTable(), description="The embedded engine.")
    aliases: AliasesTable | None = Field(default=None, description="The alias table.")
    ablations: list[AblationTable] | None = Field(
        default=None, min_length=1, max_length=MAX_ABLATIONS, description="The retrieval paths to be judged."
    )
    gates: list[GateTable] | None = Field(default=None, max_length=1_000, description="The absolute gates.")
    allowances: list[AllowanceTable] = Field(
        default=[], max_length=1_000, description="Larger drops against the baseline that pass."
    )
    waivers: list[WaiverTable] = Field(
        default=[], max_length=1_000, description="Wrong answer states that are accepted for a time."
    )


# Every table by its path; arrays count as their elements.
TABLES: dict[tuple[str, ...], type[BaseModel]] = {
    (): ConfigFile,
    ("engine",): EngineTable,
    ("aliases",): AliasesTable,
    ("ablations",): AblationTable,
    ("ablations", "channels"): ChannelTable,
    ("ablations", "fields"): FieldsTable,
    ("ablations", "python"): PythonTable,
    ("ablations", "exec"): ExecTable,
    ("ablations", "http"): HttpTable,
    ("ablations", "mcp"): McpTable,
    ("ablations", "replay"): ReplayTable,
    ("gates",): GateTable,
    ("gates", "max-below"): BelowTable,
    ("allowances",): AllowanceTable,
    ("waivers",): WaiverTable,
}


def keys_of(table: type[BaseModel]) -> tuple[str, ...]:
    """The keys of a table, as they are written."""
    return tuple(kebab(name) for name in table.model_fields)
