"""The hashes of what is evaluated: every field of fixture, settings and providers moves one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from retrieval_gate.base.canonical import digest
from retrieval_gate.base.config import AblationSpec, Channel
from retrieval_gate.base.fixture import Document, Fixture, Principal, Query
from retrieval_gate.base.hashes import Components, Definition
from retrieval_gate.base.ids import AblationId, PrincipalId, QueryId
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.base.transport import (
    ExecSettings,
    Fields,
    HttpSettings,
    McpSettings,
    PythonSettings,
    ReplaySettings,
    Settings,
    UnknownIds,
)
from retrieval_gate.engine.text import TOKENIZER_VERSION
from retrieval_gate.engine.version import ENGINE_VERSION
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.scoring.metrics.table import METRIC_VERSION

# The settings of each kind of retriever that shape its answers. All others say how they are got, and how long that
# may take: a longer timeout makes no other evaluation.
SHAPING: dict[type, tuple[str, ...]] = {
    PythonSettings: ("per_principal",),
    ExecSettings: (),
    HttpSettings: ("preset", "method", "body"),
    McpSettings: ("tool", "arguments"),
    ReplaySettings: ("second", "order", "missing_is_empty"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Path:
    """What of an ablation shapes its answers, for one that is built in."""

    id: AblationId
    retriever: str
    channels: tuple[Channel, ...]
    rerank: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _ForeignPath(_Path):
    """For one that is not; `settings` are those with another value than the default, by name."""

    fields: Fields
    unknown_ids: UnknownIds
    settings: tuple[tuple[str, object], ...]


def define(plan: Plan, hellos: Sequence[tuple[AblationId, Hello]]) -> Definition:
    """The definition of one evaluation; `hellos` is what each ablation's retriever said of itself.

    Documents and queries are hashed in id order: their order in the file decides nothing.
    """
    queries = query_hashes(plan.fixture)
    corpus = digest(_by_id(plan.fixture.documents))
    parts = {
        "settings": digest((ENGINE_VERSION, plan.engine, plan.k, [metric.id for metric in plan.metrics])),
        "ablations": digest(tuple(map(_path, plan.ablations))),
        "providers": digest([(name, hello.name, hello.version, hello.fingerprint) for name, hello in hellos]),
        "tokenizer": digest(TOKENIZER_VERSION),
        "aliases": digest(plan.aliases),
    }
    labels = _labels(plan.fixture, queries)
    components = Components(labels=labels, system=digest((corpus, parts)), corpus=corpus, **parts)
    # The first seed's evaluationDefinitionHash leaves the corpus out: it has a hash of its own.
    return Definition(evaluation=digest((labels, parts)), components=components, queries=queries)


def query_hashes(fixture: Fixture) -> tuple[tuple[QueryId, str], ...]:
    """One label hash per query, in fixture order: its text, judgments, policy labels, principal and time.

    The fixture's own id and version stay out, so that raising the version edits no query.
    """
    principals = {principal.id: principal for principal in fixture.principals}
    return tuple((query.id, _query_hash(query, principals, fixture)) for query in fixture.queries)


def _query_hash(query: Query, principals: dict[PrincipalId, Principal], fixture: Fixture) -> str:
    principal = principals.get(query.principal) if query.principal is not None else None
    return digest((query, principal, query.as_of or fixture.as_of))


def _path(spec: AblationSpec) -> _Path:
    if spec.scheme == "builtin":
        return _Path(id=spec.id, retriever=spec.retriever, channels=spec.channels, rerank=spec.rerank)
    return _ForeignPath(
        id=spec.id,
        retriever=spec.retriever,
        channels=spec.channels,
        rerank=spec.rerank,
        fields=spec.transport.fields,
        unknown_ids=spec.transport.unknown_ids,
        settings=_shaping(spec.transport.settings),
    )


def _shaping(settings: Settings | None) -> tuple[tuple[str, object], ...]:
    """A default that is written out is the same as one that is not."""
    if settings is None:
        return ()
    defaults = {field.name: field.default for field in fields(settings)}
    named = ((name, getattr(settings, name)) for name in SHAPING[type(settings)])
    return tuple((name, value) for name, value in named if value != defaults[name])


def _labels(fixture: Fixture, queries: tuple[tuple[QueryId, str], ...]) -> str:
    return digest(
        (
            fixture.id,
            fixture.version,
            fixture.provenance,
            fixture.exempt,
            fixture.conflicts,
            fixture.as_of,
            _by_id(fixture.principals),
            METRIC_VERSION,
            sorted(queries),
        )
    )


def _by_id(items: tuple[Document, ...] | tuple[Principal, ...]) -> list[Document | Principal]:
    return sorted(items, key=lambda item: item.id)
