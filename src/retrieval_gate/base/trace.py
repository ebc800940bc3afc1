"""A supplied trace: what a retriever is said to have returned for one query, and the query's labels."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import ChunkId, QueryId, UnitId


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """`relevant`, `forbidden` and `stale` are labels, without duplicates; `hits` are ranked, duplicates kept.

    `expected` None: the answer state is not labelled; `observed` None: it is not recorded. `hits` None: the run
    has no such trace, only the judgments do.
    """

    id: QueryId
    relevant: tuple[UnitId, ...]
    forbidden: tuple[ChunkId, ...]
    stale: tuple[ChunkId, ...]
    expected: State | None
    observed: State | None
    hits: tuple[ChunkId, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSet:
    """Traces in the order of their labels. `id` and `version` are None where the file does not name itself.

    `unjudged` are the traces of the run that the judgments do not know, in its order: nothing of them is checked.
    """

    id: str | None
    version: int | None
    traces: tuple[Trace, ...]
    unjudged: tuple[QueryId, ...] = ()
