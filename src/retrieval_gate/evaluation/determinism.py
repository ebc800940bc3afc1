"""Whether two runs saw the same: ids in order, contexts, states and records exactly, scores within a tolerance."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from retrieval_gate.base.difference import Cause, Difference
from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.record import Observation

# Scores of two runs may differ by this much: floating-point noise, not another result (design §3).
SCORE_TOLERANCE = 1e-6


def difference(first: Observation, second: Observation) -> Difference | None:
    """The first difference between two observations of one query; None where there is none.

    A swap of hits whose scores are within the tolerance *but not equal* is noise: tolerated as long as nothing
    else moved. A swap of hits with equal scores is not: the retriever has no total order, and the next process
    may serve either.
    """
    found = _where(first, second)
    if found is None:
        return None
    rank, cause, tolerated = found
    record = first.record
    return Difference(ablation=record.ablation, query=record.query, rank=rank, cause=cause, tolerated=tolerated)


def _where(first: Observation, second: Observation) -> tuple[int | None, Cause, bool] | None:
    if first.record.missing != second.record.missing:
        return None, Cause.MISSING, False
    if first.record.state is not second.record.state:
        return None, Cause.STATE, False
    if not _alike(first.evidence, second.evidence) or not _alike(first.threshold, second.threshold):
        return None, Cause.EVIDENCE, False
    if _ids(first) != _ids(second):
        return _order_difference(first, second)
    rank = _first_score_apart(first, second)
    if rank is not None:
        return rank, Cause.SCORE, False
    if first.context_digest != second.context_digest:
        return None, Cause.CONTEXT, False
    return None if first.record == second.record else (None, Cause.RECORD, False)


def _ids(seen: Observation) -> list[str]:
    return [chunk for chunk, _ in seen.hits]


def _order_difference(first: Observation, second: Observation) -> tuple[int, Cause, bool]:
    pairs = enumerate(zip(_ids(first), _ids(second), strict=False), start=1)
    shorter = min(len(first.hits), len(second.hits))
    rank = next((rank for rank, (one, other) in pairs if one != other), shorter + 1)
    if sorted(_ids(first)) != sorted(_ids(second)):
        return rank, Cause.HITS, False
    tied = _tied_swap(first, second)
    jitter = _is_jitter(first, second) and _alike_but_order(first, second)
    if tied is not None and (jitter or tied == rank):
        return tied, Cause.TIE_ORDER, False
    return rank, Cause.TIE_ORDER if jitter else Cause.ORDER, jitter


def _tied_swap(first: Observation, second: Observation) -> int | None:
    """Run 1's first rank at which hits with equal scores, in both runs, changed places; None where none did.

    Hits without a score are not tied: nothing is known of what they are ordered by.
    """
    ours, theirs = dict(first.hits), dict(second.hits)
    waiting: dict[tuple[float | None, float | None], deque[ChunkId]] = {}
    for chunk, _ in second.hits:
        waiting.setdefault((ours[chunk], theirs[chunk]), deque()).append(chunk)
    for rank, (chunk, _) in enumerate(first.hits, start=1):
        scores = (ours[chunk], theirs[chunk])
        if waiting[scores].popleft() != chunk and None not in scores:
            return rank
    return None


def _is_jitter(first: Observation, second: Observation) -> bool:
    """Whether the scores agree within the tolerance at each rank, and for each hit wherever it stands."""
    by_rank = zip(first.hits, second.hits, strict=True)
    by_hit = zip(_by_chunk(first), _by_chunk(second), strict=True)
    return all(_close(one, other) for pairs in (by_rank, by_hit) for (_, one), (_, other) in pairs)


def _by_chunk(seen: Observation) -> list[tuple[ChunkId, float | None]]:
    """The hits sorted by id; a chunk that was returned twice keeps its order."""
    return sorted(seen.hits, key=lambda hit: hit[0])


def _alike_but_order(first: Observation, second: Observation) -> bool:
    same = replace(second.record, ranking_digest=first.record.ranking_digest)
    return first.context_digest == second.context_digest and first.record == same


def _first_score_apart(first: Observation, second: Observation) -> int | None:
    pairs = enumerate(zip(first.hits, second.hits, strict=True), start=1)
    return next((rank for rank, ((_, one), (_, other)) in pairs if one != other and not _close(one, other)), None)


def _alike(one: float | None, other: float | None) -> bool:
    return one == other or _close(one, other)


def _close(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and abs(one - other) <= SCORE_TOLERANCE
