"""The settings of retrievers of the user's own: the keys of an ablation that is not built in, and its tables."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import Field

from retrieval_gate.base.canonical import json_line
from retrieval_gate.base.transport import (
    DEFAULT_TRANSPORT,
    ExecSettings,
    Fields,
    HttpSettings,
    McpSettings,
    PythonSettings,
    ReplaySettings,
    RunOrder,
    Settings,
    Transport,
    UnknownIds,
)
from retrieval_gate.inputs.config.shapes import Id, Line, RelativePath, Table, kebab

_EXEC = ExecSettings()
_HTTP = HttpSettings()
_PYTHON = PythonSettings()
_MCP = McpSettings()
_REPLAY = ReplaySettings()


class FieldsTable(Table):
    """Where an answer keeps what the gate needs, as dotted paths; what is left out is found by its usual names."""

    hits: Line | None = Field(default=None, description="The list of hits in the answer, e.g. `result.points`.")
    id: Line | None = Field(default=None, description="A hit's chunk id, e.g. `payload.chunk_id`.")
    score: Line | None = Field(default=None, description="A hit's score.")
    document: Line | None = Field(default=None, description="The id of a hit's document.")
    text: Line | None = Field(default=None, description="A hit's text, where it is not the chunk's own.")
    lower_is_better: bool | None = Field(
        default=None,
        description="Whether the score is a distance. Default: where its name says so, such as `distance`.",
    )


class PythonTable(Table):
    """Settings of `python:` retrievers."""

    python_path: list[RelativePath] = Field(
        default=[], max_length=32, description="Folders to import from, relative to the working folder."
    )
    per_principal: bool = Field(
        default=False,
        description="Whether the attribute is a factory that makes each principal's retriever.",
    )
    start_timeout: float = Field(
        default=_PYTHON.start_timeout, gt=0, le=3_600, description="Seconds until it must have been imported."
    )


class ExecTable(Table):
    """Settings of `exec:` retrievers."""

    stderr: RelativePath | None = Field(
        default=None, description="A file for what the process writes to stderr, which is kept nowhere else."
    )
    start_timeout: float = Field(
        default=_EXEC.start_timeout, gt=0, le=3_600, description="Seconds until it must have answered `hello`."
    )


class HttpTable(Table):
    """Settings of `http://` and `https://` retrievers."""

    preset: Id = Field(default=_HTTP.preset, description="The shape of requests and answers.")
    method: Id | None = Field(default=None, description="`POST` or `GET`; else the preset's.")
    body: dict[str, Any] | None = Field(
        default=None,
        description="The request's JSON body, with `{query}`, `{k}` and so on; else the preset's. "
        "With `GET`, its members are parameters.",
    )
    headers: dict[Line, Line] = Field(
        default={}, max_length=64, description="Further headers; `{env.NAME}` is that environment variable."
    )
    ca_file: RelativePath | None = Field(default=None, description="The certificates that are trusted, as PEM.")
    retries: int = Field(
        default=_HTTP.retries, ge=0, le=10, description="How often a request is repeated where that is safe."
    )


class McpTable(Table):
    """Settings of `mcp:` retrievers."""

    tool: Line | None = Field(default=None, description="The tool that retrieves, where the server has several.")
    arguments: dict[str, Any] | None = Field(
        default=None, description="The tool's arguments, with `{query}`, `{k}` and so on; else by its own schema."
    )
    stderr: RelativePath | None = Field(
        default=None, description="A file for what the server writes to stderr, which is kept nowhere else."
    )
    start_timeout: float = Field(
        default=_MCP.start_timeout, gt=0, le=3_600, description="Seconds until it must have told what it offers."
    )


class ReplayTable(Table):
    """Settings of `replay:` retrievers."""

    second: RelativePath | None = Field(default=None, description="The recording of the second pass.")
    order: RunOrder = Field(
        default=_REPLAY.order,
        strict=False,
        description="The ranking of a TREC run: `trec_eval` (by score, then id, both falling) or `file`.",
    )
    missing_is_empty: bool = Field(
        default=False,
        description="Whether a query without a line got an empty answer; else it is a failure.",
    )


class TransportTable(Table):
    """What every retriever of the user's own is held to."""

    timeout: float = Field(
        default=DEFAULT_TRANSPORT.timeout, gt=0, le=3_600, description="Seconds for one answer."
    )
    total_timeout: float = Field(
        default=DEFAULT_TRANSPORT.total_timeout, gt=0, le=86_400, description="Seconds for all answers of one run."
    )
    concurrency: int = Field(
        default=DEFAULT_TRANSPORT.concurrency,
        ge=1,
        le=256,
        description="How many questions are under way at once.",
    )
    answer_bytes: int = Field(
        default=DEFAULT_TRANSPORT.answer_bytes, ge=1_024, le=1 << 30, description="The longest answer, in bytes."
    )
    shared: bool | None = Field(
        default=None,
        description="Whether both runs reach one and the same state and must go one after the other. "
        "Default: only for `http://` and `https://`.",
    )
    unknown_ids: UnknownIds = Field(
        default=DEFAULT_TRANSPORT.unknown_ids,
        strict=False,
        description="What an id is that the fixture does not have: `fail`, or `unjudged` where the retriever "
        "holds more than the fixture.",
    )
    fields: FieldsTable = Field(default=FieldsTable(), description="Where an answer keeps what the gate needs.")
    python: PythonTable | None = Field(default=None, description="Settings of `python:`.")
    exec: ExecTable | None = Field(default=None, description="Settings of `exec:`.")
    http: HttpTable | None = Field(default=None, description="Settings of `http://` and `https://`.")
    mcp: McpTable | None = Field(default=None, description="Settings of `mcp:`.")
    replay: ReplayTable | None = Field(default=None, description="Settings of `replay:`.")


# The table of each kind of retriever, and the scheme of those that it is for.
SCHEME_TABLES = {
    "python": ("python",),
    "exec": ("exec",),
    "http": ("http", "https"),
    "mcp": ("mcp",),
    "replay": ("replay",),
}
# The keys of an ablation that say nothing to the built-in retriever.
TRANSPORT_KEYS = tuple(map(kebab, TransportTable.model_fields))


class Inert(NamedTuple):
    """Keys that say nothing to retrievers of some schemes, why, and what to do. Behind a dot: in that table."""

    schemes: tuple[str, ...]
    keys: tuple[str, ...]
    why: str
    fix: str


# What stands in the place of a scheme for a server that is asked by the contract's preset.
CONTRACT_SERVER = "contract"
_PATHS = tuple(f"fields.{name}" for name in FieldsTable.model_fields if name != "lower_is_better")
# What is taken and does nothing is a slip: whoever wrote it counts on it.
INERT = (
    Inert(
        ("exec", "replay"),
        _PATHS,
        "says nothing here: the answers are the contract's, whose members have their names",
        "remove it, and answer as docs/retriever.md says",
    ),
    Inert(
        (CONTRACT_SERVER,),
        _PATHS,
        "says nothing with http.preset contract, whose members have their names",
        'remove it, or set http.preset = "json"',
    ),
    Inert(
        ("python",),
        ("answer-bytes",),
        "says nothing here: what Python returns is not measured in bytes",
        "remove it",
    ),
    Inert(
        ("replay",),
        ("timeout", "concurrency", "answer-bytes"),
        "says nothing here: recorded answers are waited for by nobody",
        "remove it",
    ),
)


def to_transport(table: TransportTable) -> Transport:
    """The settings as they are; `rules` has seen that there is one table of a kind at most."""
    return Transport(
        timeout=table.timeout,
        total_timeout=table.total_timeout,
        concurrency=table.concurrency,
        answer_bytes=table.answer_bytes,
        shared=table.shared,
        unknown_ids=table.unknown_ids,
        fields=Fields(**table.fields.model_dump()),
        settings=_settings(table),
    )


def _settings(table: TransportTable) -> Settings | None:
    if table.python is not None:
        return PythonSettings(
            python_path=tuple(table.python.python_path),
            per_principal=table.python.per_principal,
            start_timeout=table.python.start_timeout,
        )
    if table.exec is not None:
        return ExecSettings(stderr=table.exec.stderr, start_timeout=table.exec.start_timeout)
    if table.http is not None:
        return _http(table.http)
    if table.mcp is not None:
        return McpSettings(
            tool=table.mcp.tool,
            arguments=_json(table.mcp.arguments),
            stderr=table.mcp.stderr,
            start_timeout=table.mcp.start_timeout,
        )
    if table.replay is not None:
        return ReplaySettings(**table.replay.model_dump())
    return None


def _http(table: HttpTable) -> HttpSettings:
    return HttpSettings(
        preset=table.preset,
        method=table.method,
        body=_json(table.body),
        headers=tuple(sorted(table.headers.items())),
        ca_file=table.ca_file,
        retries=table.retries,
    )


def _json(value: dict[str, Any] | None) -> str | None:
    """A table as JSON text, in the order of the file."""
    return None if value is None else json_line(value)
