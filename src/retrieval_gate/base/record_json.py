"""One query's record as a compact JSON array and back, for a baseline's line and a worker's message.

[ablation, query, [[unit, grade, rank, [span, ..], lost_at, [rank at stage, ..]], ..], no_answer, returned,
 duplicates, unlocatable, matched_characters, returned_characters, annotated_characters, [[leak, where], ..],
 checked_forbidden, [[stale, where], ..], checked_stale, expected_state, state, ranking_digest, [stage, ..],
 missing, [citation | null, ..], checked_citations]
"""

from __future__ import annotations

from typing import Any

from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import AblationId, ChunkId, QueryId, UnitId
from retrieval_gate.base.record import JudgedRank, QueryRecord, Shown, Where
from retrieval_gate.base.strict import as_count, as_count_or_none, as_flag, as_list, as_text, as_text_or_none

# Above every scale in use; 2^grade stays far from the end of floating point.
MAX_GRADE = 100


def record_to_json(record: QueryRecord) -> list[object]:
    """Only lists, strings, integers, booleans and None."""
    return [
        record.ablation,
        record.query,
        [_judged_to_json(unit) for unit in record.judged],
        record.no_answer,
        record.returned,
        record.duplicates,
        record.unlocatable,
        record.matched_characters,
        record.returned_characters,
        record.annotated_characters,
        [[chunk, where.value] for chunk, where in record.leaks],
        record.checked_forbidden,
        [[chunk, where.value] for chunk, where in record.stale],
        record.checked_stale,
        None if record.expected_state is None else record.expected_state.value,
        None if record.state is None else record.state.value,
        record.ranking_digest,
        list(record.stages),
        record.missing,
        list(record.bad_citations),
        record.checked_citations,
    ]


def _judged_to_json(unit: JudgedRank) -> list[object]:
    return [unit.unit, unit.grade, unit.rank, list(unit.spans), unit.lost_at, list(unit.trail)]


def record_from_json(value: Any) -> QueryRecord:
    """The record that `record_to_json` wrote; every field is checked.

    Raises ValueError or TypeError for anything else, such as a number that is negative or not an integer.
    """
    (
        ablation,
        query,
        judged,
        no_answer,
        returned,
        duplicates,
        unlocatable,
        matched_characters,
        returned_characters,
        annotated_characters,
        leaks,
        checked_forbidden,
        stale,
        checked_stale,
        expected_state,
        state,
        ranking_digest,
        stages,
        missing,
        bad_citations,
        checked_citations,
    ) = as_list(value)
    return QueryRecord(
        ablation=AblationId(as_text(ablation)),
        query=QueryId(as_text(query)),
        judged=tuple(_judged(unit) for unit in as_list(judged)),
        no_answer=as_flag(no_answer),
        returned=as_count(returned),
        duplicates=as_count(duplicates),
        unlocatable=as_count(unlocatable),
        matched_characters=as_count_or_none(matched_characters),
        returned_characters=as_count_or_none(returned_characters),
        annotated_characters=as_count_or_none(annotated_characters),
        leaks=tuple(_shown(*as_list(leak)) for leak in as_list(leaks)),
        checked_forbidden=as_count(checked_forbidden),
        stale=tuple(_shown(*as_list(item)) for item in as_list(stale)),
        checked_stale=as_count(checked_stale),
        expected_state=None if expected_state is None else State(expected_state),
        state=None if state is None else State(state),
        ranking_digest=as_text(ranking_digest),
        stages=tuple(as_text(stage) for stage in as_list(stages)),
        missing=as_flag(missing),
        bad_citations=tuple(_chunk_or_none(chunk) for chunk in as_list(bad_citations)),
        checked_citations=as_count(checked_citations),
    )


def _shown(chunk: object, where: object) -> Shown:
    return Shown(ChunkId(as_text(chunk)), Where(as_text(where)))


def _chunk_or_none(chunk: object) -> ChunkId | None:
    return None if chunk is None else ChunkId(as_text(chunk))


def _judged(value: object) -> JudgedRank:
    unit, grade, rank, spans, lost_at, trail = as_list(value)
    if rank == 0 or 0 in as_list(trail):
        raise ValueError("ranks count from 1")
    if as_count(grade) > MAX_GRADE:
        raise ValueError("the grade is too high")
    return JudgedRank(
        unit=UnitId(as_text(unit)),
        grade=grade,
        rank=as_count_or_none(rank),
        spans=tuple(as_count(span) for span in as_list(spans)),
        lost_at=as_text_or_none(lost_at),
        trail=tuple(as_count_or_none(place) for place in as_list(trail)),
    )
