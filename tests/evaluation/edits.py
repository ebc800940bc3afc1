"""Every field of what is evaluated, with another value for each, and a walk that edits them one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any

from retrieval_gate.base.config import (
    AblationSpec,
    AliasTable,
    Channel,
    Concept,
    EngineSettings,
    EvidenceThreshold,
)
from retrieval_gate.base.fixture import (
    Access,
    Chunk,
    Document,
    Fixture,
    IndexState,
    JudgedLevel,
    Judgment,
    Principal,
    Provenance,
    Query,
    Review,
    Span,
    Split,
    State,
)
from retrieval_gate.base.ids import AblationId, ChunkId, DocumentId, PrincipalId, QueryId, UnitId
from retrieval_gate.base.transport import (
    DEFAULT_TRANSPORT,
    ExecSettings,
    Fields,
    HttpSettings,
    McpSettings,
    PythonSettings,
    ReplaySettings,
    RunOrder,
    Transport,
    UnknownIds,
)
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.scoring.metrics.table import Metric, parse_metric
from retrieval_gate.scoring.slices import Slice, slices_of
from tests.scoring.build import document, query

MAY = datetime(2026, 5, 1, tzinfo=UTC)
JUNE = datetime(2026, 6, 1, tzinfo=UTC)

FIXTURE = Fixture(
    id="f",
    version=1,
    provenance=Provenance(kind="synthetic", license="CC0-1.0"),
    documents=(
        replace(
            document("d1", c1="one two", c2="three"),
            access=Access(tenant="t", allow=(("role", ("staff",)),)),
        ),
        document("d2", c3="four"),
    ),
    queries=(
        replace(
            query("q1", principal="p1"),
            judgments=(
                Judgment(
                    unit=UnitId("c1"),
                    relevance=3,
                    spans=(Span(chunk=ChunkId("c1"), start=0, end=3, declared=False),),
                ),
            ),
            reviews=(Review(reviewer="r", unit=UnitId("c1"), relevance=3),),
        ),
        query("q2", as_of=MAY, no_answer=True),
        query("q3", no_answer=True),
    ),
    principals=(
        Principal(id=PrincipalId("p1"), tenant="t", attributes=(("role", ("staff",)),)),
        Principal(id=PrincipalId("p2"), tenant=None, attributes=()),
    ),
    as_of=MAY,
    exempt=(),
)
PLAN = Plan(
    fixture=FIXTURE,
    ablations=(
        # No retriever of one's own has channels: here the first that is edited has all that is hashed of any.
        AblationSpec(
            id=AblationId("lexical"),
            retriever="python:m:b",
            channels=(Channel(name="lexical", weight=1.0),),
            transport=Transport(settings=PythonSettings()),
        ),
        AblationSpec(id=AblationId("other"), retriever="builtin"),
        *(
            AblationSpec(id=AblationId(scheme), retriever=f"{scheme}:x", transport=Transport(settings=settings))
            for scheme, settings in (
                ("exec", ExecSettings()),
                ("http", HttpSettings()),
                ("mcp", McpSettings()),
                ("replay", ReplaySettings()),
            )
        ),
    ),
    metrics=(parse_metric("mrr@10"),),
    slices=slices_of(FIXTURE),
    engine=EngineSettings(thresholds=(EvidenceThreshold(script="latin", value=0.2),)),
    aliases=AliasTable(note="n", concepts=(Concept(id="key", aliases=("key", "keys")),)),
    k=10,
    left_out=(),
    substituted=(),
)

# The tables' own rows are values of the product, not of a fixture or a configuration: their fields are not walked.
ROWS = (Metric, Slice)

# Another value for each field of each type that a plan is made of. Fields that hold such values themselves are
# edited by taking one away. A new field has no value here, and fails the test until it has one.
OTHER: dict[type, dict[str, object]] = {
    Plan: {
        "fixture": None,
        "ablations": PLAN.ablations[:1],
        "metrics": (parse_metric("mrr@5"),),
        "slices": PLAN.slices[:1],
        "engine": None,
        "aliases": None,
        "k": 20,
        "left_out": (AblationId("regression-alias-vector"),),
        "substituted": (AblationId("lexical"),),
    },
    Fixture: {
        "id": "g",
        "version": 2,
        "provenance": None,
        "documents": FIXTURE.documents[:1],
        "queries": FIXTURE.queries[:1],
        "principals": FIXTURE.principals[:1],
        "as_of": JUNE,
        "exempt": ("url",),
        "conflicts": ("s",),
    },
    Provenance: {"kind": "public", "license": "MIT"},
    Document: {
        "id": DocumentId("d9"),
        "title": "Another",
        "chunks": FIXTURE.documents[0].chunks[:1],
        "language": "zh",
        "source": "s",
        "owner": "o",
        "content_hash": "0" * 64,
        "effective_from": MAY,
        "effective_to": JUNE,
        "index_state": IndexState.INDEXING,
        "revoked_at": MAY,
        "version_label": "v2",
        "access": Access(tenant=None, allow=()),
    },
    Access: {"tenant": "u", "allow": (("role", ("guest",)),)},
    Chunk: {"id": ChunkId("c9"), "content": "one two three", "start": 7},
    Query: {
        "id": QueryId("q9"),
        "language": "zh",
        "text": "another?",
        "no_answer": True,
        "level": JudgedLevel.DOCUMENT,
        "judgments": (),
        "split": Split.HELDOUT,
        "principal": PrincipalId("p2"),
        "as_of": JUNE,
        "expected_state": State.ABSTAINED,
        "forbidden": (ChunkId("c3"),),
        "stale": (ChunkId("c3"),),
        "tags": ("t",),
        "reviews": (),
    },
    Judgment: {"unit": UnitId("c2"), "relevance": 2, "spans": ()},
    Span: {"chunk": ChunkId("c2"), "start": 1, "end": 2, "declared": True},
    Review: {"reviewer": "s", "unit": UnitId("c2"), "relevance": 0},
    Principal: {"id": PrincipalId("p9"), "tenant": "u", "attributes": (("role", ("guest",)),)},
    AblationSpec: {
        "id": AblationId("lexical-2"),
        "retriever": "python:m:a",
        "channels": (),
        "rerank": True,
        "transport": DEFAULT_TRANSPORT,
    },
    Transport: {
        "timeout": 1.0,
        "total_timeout": 2.0,
        "concurrency": 2,
        "answer_bytes": 2_048,
        "shared": True,
        "unknown_ids": UnknownIds.UNJUDGED,
        "fields": Fields(),
        "settings": PythonSettings(per_principal=True),
    },
    Fields: {
        "hits": "results",
        "id": "key",
        "score": "similarity",
        "document": "parent",
        "text": "content",
        "lower_is_better": True,
    },
    PythonSettings: {"python_path": ("src",), "per_principal": True, "start_timeout": 3.0},
    ExecSettings: {"stderr": "log", "start_timeout": 3.0},
    HttpSettings: {
        "preset": "json",
        "method": "GET",
        "body": "{}",
        "headers": (("a", "b"),),
        "ca_file": "ca.pem",
        "retries": 1,
    },
    McpSettings: {"tool": "search", "arguments": "{}", "stderr": "log", "start_timeout": 3.0},
    ReplaySettings: {"second": "second.jsonl", "order": RunOrder.FILE, "missing_is_empty": True},
    Channel: {"name": "token-hash-vector", "weight": 0.5},
    EngineSettings: {
        "candidates": 41,
        "rrf_k": 61,
        "rerank_depth": 21,
        "context_characters": 16_001,
        "neighbours": 1,
        "abstention": False,
        "thresholds": (),
    },
    EvidenceThreshold: {"script": "han", "value": 0.3},
    AliasTable: {"note": "m", "concepts": ()},
    Concept: {"id": "lock", "aliases": ("key",)},
}
# Edited by their own fields, which are walked too.
PARTS_ONLY = {
    (AblationSpec, "transport"),
    (Transport, "fields"),
    (Plan, "fixture"),
    (Plan, "engine"),
    (Fixture, "provenance"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A plan in which one field has another value. `group` is the room of the plan that it stands in."""

    kind: type
    field: str
    group: str
    plan: Plan

    @property
    def name(self) -> str:
        return f"{self.kind.__name__}.{self.field}"


def edits() -> Iterator[Edit]:
    """One edit for each field of the first value of each type that the plan is made of."""
    met: set[type] = set()
    for path, value in walk(PLAN):
        if type(value) in met:
            continue
        met.add(type(value))
        for field in fields(value):
            kind, name = type(value), field.name
            if (kind, name) not in PARTS_ONLY:
                changed = replace(value, **{name: OTHER[kind][name]})
                yield Edit(kind=kind, field=name, group=_group(path, name), plan=_put(PLAN, path, changed))


def walk(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every dataclass value in `value`, with the fields and indices that lead to it."""
    if isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from walk(item, (*path, index))
    if is_dataclass(value) and not isinstance(value, ROWS):
        yield path, value
        for field in fields(value):
            yield from walk(getattr(value, field.name), (*path, field.name))


def _group(path: tuple[str | int, ...], name: str) -> str:
    """The plan's field that an edit is in, or the fixture's where it is in the fixture, e.g. `fixture.queries`."""
    names = [str(step) for step in (*path, name) if isinstance(step, str)]
    return ".".join(names[: 2 if names[0] == "fixture" else 1])


def _put(value: Any, path: tuple[str | int, ...], new: object) -> Any:
    """`value` with `new` at the end of `path`."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return (*value[:step], _put(value[step], rest, new), *value[step + 1 :])
    return replace(value, **{step: _put(getattr(value, step), rest, new)})
