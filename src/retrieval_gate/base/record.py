"""What is remembered of one query under one ablation: the integers that every value is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import AblationId, ChunkId, QueryId, UnitId


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRank:
    """Where one judged unit ended.

    `rank` counts from 1 among distinct hits, None where the unit was not returned. `spans` holds the ordinals
    (from 0, in label order) of its spans that the context contained. `lost_at` names the stage that lost it,
    None where it was returned or the retriever gives no stages. `trail` is its rank at each of the record's
    `stages`, None where it did not leave that stage.
    """

    unit: UnitId
    grade: int
    rank: int | None
    spans: tuple[int, ...]
    lost_at: str | None
    trail: tuple[int | None, ...] = ()


class Where(StrEnum):
    """Where a chunk was shown that must not be, the deepest first: nearest to who reads the answer."""

    CITATIONS = "citations"
    CONTEXT = "context"
    HITS = "hits"
    STAGES = "stages"


class Shown(NamedTuple):
    """A chunk that must not be shown, and the deepest place that it reached."""

    chunk: ChunkId
    where: Where


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRecord:
    """One query under one ablation, reduced to ids and integers.

    The character counts are None for a no-answer query. `checked_*` count what was checked: forbidden and stale
    chunks, listed or derived from the policy, and distinct citations, 0 where none is given. `bad_citations` are
    those that were not retrieved; None stands for a chunk that the fixture does not have. `stages` are the names
    of the retriever's stages in order, empty where it gives none. `missing` says that the run had no answer for
    this query: it is scored as empty.
    """

    ablation: AblationId
    query: QueryId
    judged: tuple[JudgedRank, ...]
    no_answer: bool
    returned: int
    duplicates: int
    unlocatable: int
    matched_characters: int | None
    returned_characters: int | None
    annotated_characters: int | None
    leaks: tuple[Shown, ...]
    checked_forbidden: int
    stale: tuple[Shown, ...]
    checked_stale: int
    expected_state: State | None
    state: State | None
    ranking_digest: str
    stages: tuple[str, ...] = ()
    missing: bool = False
    bad_citations: tuple[ChunkId | None, ...] = ()
    checked_citations: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What one run saw of one query under one ablation: the record, and what determinism is judged by.

    `hits` are the ids in returned order, duplicates kept, with their scores; `context_digest` is None where
    the retriever gave no context. `evidence` and `threshold` are what the retriever says its decision to answer
    was made by, rounded; None where it does not. `latency_ns` is diagnostic only.
    """

    record: QueryRecord
    hits: tuple[tuple[ChunkId, float | None], ...]
    context_digest: str | None
    latency_ns: int
    evidence: float | None = None
    threshold: float | None = None
