"""A label that was edited is named by its first part that differs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from retrieval_gate.base.fixture import Fixture, Principal, Query, Review, Split, State
from retrieval_gate.base.ids import ChunkId, PrincipalId, QueryId, UnitId
from tests.verdict.factories import baseline, failed, fixture, judged, kinds, plan, query, record

ANN = Principal(id=PrincipalId("ann"), tenant="a", attributes=(("role", ("clerk",)),))
CLERK = replace(query("q1", {"doc-0": 3}, tags=("hard",)), principal=ANN.id)
PUBLIC = query("q2", {"doc-0": 3})
BEFORE = replace(fixture(CLERK, PUBLIC), principals=(ANN,), as_of=datetime(2026, 1, 1, tzinfo=UTC))


def edited(now: Fixture) -> dict[QueryId | None, str | None]:
    """The part that is named for each query, once the fixture is `now`."""
    before = baseline(plan(of=BEFORE), [record(asked, {"doc-0": 1}) for asked in BEFORE.queries])
    verdicts = failed(judged(plan(of=now), [record(asked, {"doc-0": 1}) for asked in now.queries], before))
    return {item.query: item.detail for item in verdicts if item.kind == "label-edited"}


def with_first(asked: Query) -> Fixture:
    return replace(BEFORE, queries=(asked, PUBLIC))


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        (replace(CLERK, text="another text"), "question"),
        (replace(CLERK, as_of=datetime(2026, 2, 1, tzinfo=UTC)), "question"),
        (replace(CLERK, judgments=query("q1", {"doc-0": 2}).judgments), "judgments"),
        (replace(CLERK, forbidden=(ChunkId("x"),)), "forbidden"),
        (replace(CLERK, stale=(ChunkId("x"),), expected_state=State.ANSWERED), "stale"),
        (replace(CLERK, expected_state=State.ANSWERED), "expectedState"),
        (replace(CLERK, tags=("easy",)), "tags"),
        (replace(CLERK, split=Split.HELDOUT), "split"),
        (
            replace(CLERK, reviews=(Review(reviewer="r", unit=UnitId("doc-0"), relevance=1),)),
            "reviews-or-span-offsets",
        ),
    ],
)
def test_the_part_that_was_edited_is_named(asked: Query, part: str) -> None:
    assert edited(with_first(asked)) == {"q1": part}


def test_a_principal_that_holds_something_else_is_named_at_its_queries_alone() -> None:
    boss = replace(ANN, attributes=(("role", ("manager",)),))
    assert edited(replace(BEFORE, principals=(boss,))) == {"q1": "principal"}
    assert edited(replace(BEFORE, principals=(replace(ANN, tenant="b"),))) == {"q1": "principal"}


def test_the_fixture_s_time_is_named_where_it_edits_all_queries_at_once() -> None:
    later = datetime(2026, 2, 1, tzinfo=UTC)
    assert edited(replace(BEFORE, as_of=later)) == {"q1": "asOf", "q2": "asOf"}
    # The twin: nothing moved.
    assert edited(BEFORE) == {}


def test_of_a_query_edited_beside_the_time_the_edit_is_named() -> None:
    harder = replace(with_first(replace(CLERK, forbidden=(ChunkId("x"),))), as_of=None)
    assert edited(harder) == {"q1": "forbidden", "q2": "asOf"}


def test_an_edit_is_still_one_failure_and_no_more() -> None:
    before = baseline(plan(of=BEFORE), [record(asked, {"doc-0": 1}) for asked in BEFORE.queries])
    now = with_first(replace(CLERK, expected_state=State.ANSWERED))
    verdicts = judged(plan(of=now), [record(asked, {"doc-0": 1}) for asked in now.queries], before)
    assert kinds(failed(verdicts)) == ["label-edited"]
