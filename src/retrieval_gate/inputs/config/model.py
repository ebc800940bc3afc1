"""The schema of retrieval-gate.toml: strict, bounded, unknown keys refused. Only this room uses it.

Keys are the field names in kebab-case. What one table alone can not say (repeats, names that must exist
elsewhere) is in `rules`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError

from retrieval_gate.base.config import EngineSettings
from retrieval_gate.inputs.config.defaults import ALIAS_NOTE, ALL, BUILTIN, MAX_DROP, SLACK
from retrieval_gate.inputs.fixture.shapes import ID_PATTERN, is_id

_METRIC_PATTERN = r"^[a-z][a-z-]{0,63}(?:@[1-9][0-9]{0,3})?$"
_SLICE_PATTERN = r"^(?:all|[a-z][a-z-]{0,31}=[A-Za-z0-9_][A-Za-z0-9._:#@+/(),-]{0,127})$"
_SCRIPT_PATTERN = r"^[a-z][a-z-]{0,31}$"
_PATH_PATTERN = r"^(?![/\\~]|[A-Za-z]:)(?!(?:.*[/\\])?\.\.(?:[/\\]|$))"
# Characters that break a line, drive a terminal or turn the reading direction; joiners are letters' own.
_UNSAFE = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
# Text that is one line and shows something.
_LINE_PATTERN = rf"^[^{_UNSAFE}]*[^\s{_UNSAFE}][^{_UNSAFE}]*$"

MAX_ABLATIONS = 100

_ENGINE = EngineSettings()


class _TextSchema:
    """The JSON Schema of a text; pydantic 2.7's WithJsonSchema shares one dict between all its fields."""

    def __init__(self, pattern: str, length: int | None) -> None:
        self._keywords = {"type": "string", "pattern": pattern}
        self._bounds = {} if length is None else {"maxLength": length}

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**self._keywords, **self._bounds}


def _shape(
    rule: str, accepts: Callable[[str], object], pattern: str, length: int | None = None
) -> tuple[AfterValidator, _TextSchema]:
    """Validator and schema of a text with a shape; a text without it is a problem of `rule`."""

    def check(text: str) -> str:
        if not accepts(text):
            raise PydanticCustomError(rule, "the text has another shape")
        return text

    return AfterValidator(check), _TextSchema(pattern, length)


def is_metric(text: str) -> bool:
    """Whether the text has the shape of a metric id; whether there is such a metric is for the plan to say."""
    return re.fullmatch(_METRIC_PATTERN, text) is not None and not text.endswith("\n")


def is_slice(text: str) -> bool:
    """Whether the text has the shape of a slice id."""
    return re.fullmatch(_SLICE_PATTERN, text) is not None and not text.endswith("\n")


def is_inside(text: str) -> bool:
    """Whether the text is a relative path that stays in its folder, on POSIX and on Windows."""
    windows = PureWindowsPath(text)
    anchored = PurePosixPath(text).is_absolute() or windows.drive or windows.root or text.startswith("~")
    return not anchored and ".." not in windows.parts and _is_line(text)


def _is_line(text: str) -> bool:
    return re.search(f"[{_UNSAFE}]", text) is None and text.strip() != ""


def _is_script(text: str) -> bool:
    return re.fullmatch(_SCRIPT_PATTERN, text) is not None and not text.endswith("\n")


_ID, _ID_SCHEMA = _shape("bad-id", is_id, ID_PATTERN)
_METRIC, _METRIC_SCHEMA = _shape("bad-metric", is_metric, _METRIC_PATTERN)
_SLICE, _SLICE_SCHEMA = _shape("bad-slice", is_slice, _SLICE_PATTERN)
_SCRIPT, _SCRIPT_SCHEMA = _shape("bad-script", _is_script, _SCRIPT_PATTERN)
_PATH, _PATH_SCHEMA = _shape("unsafe-path", is_inside, _PATH_PATTERN, length=1_000)
_ALIAS, _ALIAS_SCHEMA = _shape("bad-text", _is_line, _LINE_PATTERN, length=100)
_LINE, _LINE_SCHEMA = _shape("bad-text", _is_line, _LINE_PATTERN, length=1_000)

Id = Annotated[str, _ID, _ID_SCHEMA]
Metric = Annotated[str, _METRIC, _METRIC_SCHEMA]
Slice = Annotated[str, _SLICE, _SLICE_SCHEMA]
Script = Annotated[str, _SCRIPT, _SCRIPT_SCHEMA]
RelativePath = Annotated[str, Field(max_length=1_000), _PATH, _PATH_SCHEMA]
Alias = Annotated[str, Field(max_length=100), _ALIAS, _ALIAS_SCHEMA]
Line = Annotated[str, Field(max_length=1_000), _LINE, _LINE_SCHEMA]
# Metrics are shares and rates, apart from the counts that are held to zero: a bound outside 0..1 could never
# fail, or never pass.
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def _kebab(name: str) -> str:
    return name.replace("_", "-")


class _Table(BaseModel):
    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, alias_generator=_kebab, hide_input_in_errors=True
    )


class EngineTable(_Table):
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


class AliasesTable(_Table):
    """Words that share a concept match across languages: fixture-aware regression plumbing."""

    note: Line = Field(default=ALIAS_NOTE, description="What the table is, for those who read it.")
    concepts: dict[Id, Annotated[list[Alias], Field(min_length=1, max_length=64)]] = Field(
        min_length=1,
        max_length=5_000,
        description="The words of each concept; a word may stand under several concepts.",
    )


class ChannelTable(_Table):
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


class AblationTable(_Table):
    """One retrieval path to be judged."""

    id: Id = Field(description="Its name in gates, reports and the baseline.")
    retriever: Line = Field(
        default=BUILTIN,
        description="`builtin`, `python:module:attr`, `exec:…`, `http:…`, `mcp:…` or `replay:…`.",
    )
    channels: list[ChannelTable] = Field(
        default=[], max_length=8, description="Sources of candidates; the built-in retriever needs one or more."
    )
    rerank: bool = Field(default=False, description="Whether the built-in retriever reranks.")


class BelowTable(_Table):
    """How far a value may stay behind another ablation's."""

    ablation: Id = Field(description="The ablation to compare with.")
    by: Share = Field(description="The largest difference that passes.")


# What makes a gate; `rules` holds that exactly one is given.
BOUNDS = ("min", "max", "max-below")


class GateTable(_Table):
    """An absolute bound on one value; exactly one of `min`, `max`, `max-below`."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": [bound]} for bound in BOUNDS]})

    ablation: Id = Field(description="The ablation it judges.")
    metric: Metric = Field(description="The metric it judges, e.g. `ndcg@10`; it is measured even if not listed.")
    slice: Slice = Field(default=ALL, description="`all`, `language=en`, `split=dev`, `tag=…`, …")
    min: Share | None = Field(default=None, description="A floor: the value must be at least this.")
    max: Share | None = Field(default=None, description="A ceiling: the value must be at most this.")
    max_below: BelowTable | None = Field(default=None, description="How far it may stay behind another ablation.")


class AllowanceTable(_Table):
    """A larger drop against the baseline that passes; a key that is left out matches all."""

    metric: Metric | None = Field(default=None, description="The metric that may drop.")
    ablation: Id | None = Field(default=None, description="The ablation that may drop.")
    slice: Slice | None = Field(default=None, description="The slice that may drop.")
    max_drop: Share = Field(description="The largest drop that passes.")


class WaiverTable(_Table):
    """A wrong answer state that is accepted for one query; leaks and stale evidence can not be waived."""

    query: Id = Field(description="The query's id.")
    reason: Line = Field(description="Why, for reviewers.")
    expires: date = Field(description="The last day on which it holds.")


class ConfigFile(_Table):
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
    ("gates",): GateTable,
    ("gates", "max-below"): BelowTable,
    ("allowances",): AllowanceTable,
    ("waivers",): WaiverTable,
}


def keys_of(table: type[BaseModel]) -> tuple[str, ...]:
    """The keys of a table, as they are written."""
    return tuple(_kebab(name) for name in table.model_fields)
