"""Slices of a fixture."""

from __future__ import annotations

from retrieval_gate.base.fixture import Principal, Query, Split
from retrieval_gate.base.ids import PrincipalId
from retrieval_gate.scoring.slices import SLICES, slices_of
from tests.scoring.build import fixture, query


def slices(*queries: Query, principals: tuple[Principal, ...] = ()) -> dict[str, tuple[str, ...]]:
    return {group.id: group.queries for group in slices_of(fixture((), queries, principals))}


def test_languages_follow_all_in_alphabetical_order() -> None:
    found = slices(query("q1", language="zh-CN"), query("q2", language="en"), query("q3", language="zh-CN"))
    assert list(found) == ["all", "language=en", "language=zh-CN"]
    assert found["all"] == ("q1", "q2", "q3")
    assert found["language=zh-CN"] == ("q1", "q3")


def test_splits_are_apart_where_queries_are_held_out() -> None:
    found = slices(query("q1"), query("q2", split=Split.HELDOUT))
    assert found["split=dev"] == ("q1",)
    assert found["split=heldout"] == ("q2",)


def test_splits_are_not_a_slice_where_none_is_held_out() -> None:
    assert list(slices(query("q1"), query("q2"))) == ["all", "language=en"]


def test_a_query_is_in_the_slice_of_each_of_its_tags() -> None:
    found = slices(query("q1", tags=("near-miss", "long")), query("q2", tags=("long",)), query("q3"))
    assert list(found)[2:] == ["tag=long", "tag=near-miss"]
    assert found["tag=long"] == ("q1", "q2")


def test_principals_are_grouped_by_their_roles() -> None:
    def principal(name: str, *roles: str) -> Principal:
        return Principal(id=PrincipalId(name), tenant="t", attributes=(("role", roles),) if roles else ())

    people = (
        principal("p1", "manager", "staff"),
        principal("p2", "staff"),
        principal("p3"),
        principal("p4", "staff"),
    )
    found = slices(
        query("q1", principal="p1"),
        query("q2", principal="p2"),
        query("q3", principal="p3"),
        query("q4", principal="p4"),
        query("q5"),
        principals=people,
    )
    assert list(found)[2:] == [
        "principal-class=manager+staff",
        "principal-class=no-role",
        "principal-class=public",
        "principal-class=staff",
    ]
    assert found["principal-class=staff"] == ("q2", "q4")
    assert found["principal-class=public"] == ("q5",)


def test_the_table_explains_each_slice_once() -> None:
    assert [family.id for family in SLICES] == ["all", "language", "split", "tag", "principal-class"]
    assert all(family.explanation for family in SLICES)
