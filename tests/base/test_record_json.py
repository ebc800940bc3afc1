from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.canonical import json_line
from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import AblationId, ChunkId, QueryId, UnitId
from retrieval_gate.base.record import JudgedRank, QueryRecord, Shown, Where
from retrieval_gate.base.record_json import record_from_json, record_to_json

IDS = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9._:#@+/(),-]{0,20}", fullmatch=True)
COUNTS = st.integers(0, 10**9)
MAYBE = st.none() | COUNTS
SHOWN = st.builds(Shown, IDS.map(ChunkId), st.sampled_from(Where))
UNITS = st.builds(
    JudgedRank,
    unit=IDS.map(UnitId),
    grade=st.integers(1, 3),
    rank=st.none() | st.integers(1, 1000),
    spans=st.lists(st.integers(0, 50), max_size=4).map(tuple),
    lost_at=st.none() | st.sampled_from(("fusion", "candidates:lexical", "阶段")),
    trail=st.lists(st.none() | st.integers(1, 1000), max_size=3).map(tuple),
)
RECORDS = st.builds(
    QueryRecord,
    ablation=IDS.map(AblationId),
    query=IDS.map(QueryId),
    judged=st.lists(UNITS, max_size=3).map(tuple),
    no_answer=st.booleans(),
    returned=COUNTS,
    duplicates=COUNTS,
    unlocatable=COUNTS,
    matched_characters=MAYBE,
    returned_characters=MAYBE,
    annotated_characters=MAYBE,
    leaks=st.lists(SHOWN, max_size=2).map(tuple),
    checked_forbidden=COUNTS,
    stale=st.lists(SHOWN, max_size=2).map(tuple),
    checked_stale=COUNTS,
    expected_state=st.none() | st.sampled_from(State),
    state=st.none() | st.sampled_from(State),
    ranking_digest=st.just("0" * 16),
    stages=st.lists(st.sampled_from(("fusion", "candidates:lexical")), max_size=3).map(tuple),
    missing=st.booleans(),
    bad_citations=st.lists(st.none() | IDS.map(ChunkId), max_size=2).map(tuple),
    checked_citations=COUNTS,
)
RECORD = QueryRecord(
    ablation=AblationId("lexical"),
    query=QueryId("q1"),
    judged=(
        JudgedRank(unit=UnitId("a"), grade=3, rank=1, spans=(0, 2), lost_at=None, trail=(2, 1)),
        JudgedRank(unit=UnitId("b"), grade=1, rank=None, spans=(), lost_at="rerank", trail=(4, None)),
    ),
    no_answer=False,
    returned=10,
    duplicates=1,
    unlocatable=0,
    matched_characters=12,
    returned_characters=800,
    annotated_characters=20,
    leaks=(Shown(ChunkId("x"), Where.CONTEXT),),
    checked_forbidden=2,
    stale=(),
    checked_stale=0,
    expected_state=State.ANSWERED,
    state=State.ABSTAINED,
    ranking_digest="0123456789abcdef",
    stages=("fusion", "rerank"),
    bad_citations=(ChunkId("y"), None),
    checked_citations=3,
)


@given(RECORDS)
def test_a_record_survives_json(record: QueryRecord) -> None:
    assert record_from_json(json.loads(json_line(record_to_json(record)))) == record


def test_the_line_is_compact_and_stays_as_it_is() -> None:
    assert json_line(record_to_json(RECORD)) == (
        '["lexical","q1",[["a",3,1,[0,2],null,[2,1]],["b",1,null,[],"rerank",[4,null]]],false,10,1,0,12,800,20,[["x","context"]],2,[],0,'
        '"ANSWERED","ABSTAINED","0123456789abcdef",["fusion","rerank"],false,["y",null],3]'
    )


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, None),
        (1, 7),
        (2, "a"),
        (2, [["a", 3, 0, [], None, []]]),
        (2, [["a", 3, 1, []]]),
        (2, [["a", 101, 1, [], None, []]]),
        (2, [["a", 3, 1, [], None, [0]]]),
        (4, 2**53 + 1),
        (7, 10**400),
        (2, [["a", 3, 1, [-1], None, []]]),
        (3, 0),
        (4, -1),
        (4, True),
        (4, 1.0),
        (4, "1"),
        (7, []),
        (10, "x"),
        (10, ["x"]),
        (10, [["x", "log"]]),
        (12, [["x", "hits", 1]]),
        (14, "answered"),
        (16, None),
        (17, None),
        (17, [1]),
        (18, None),
        (19, [1]),
        (20, None),
    ],
)
def test_a_field_of_another_type_or_range_is_refused(place: int, value: Any) -> None:
    fields = record_to_json(RECORD)
    fields[place] = value

    with pytest.raises((TypeError, ValueError)):
        record_from_json(fields)


@pytest.mark.parametrize("value", [None, {}, "x", [], [*record_to_json(RECORD), 1], record_to_json(RECORD)[:-1]])
def test_anything_but_the_whole_array_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        record_from_json(value)


def test_a_missing_answer_is_kept_apart_from_an_empty_one() -> None:
    absent = replace(RECORD, missing=True)

    assert record_from_json(record_to_json(absent)) == absent != RECORD
