from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.access import permitted, visible
from retrieval_gate.base.fixture import Access, Document, IndexState, Principal
from tests.engine.factories import document, principal

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
TOKYO = timezone(timedelta(hours=9))


def served(documents: list[Document], as_of: datetime | None, who: Principal | None = None) -> list[str]:
    return [str(name) for name in visible(documents, who, as_of).documents]


@pytest.mark.parametrize(
    ("access", "who", "expected"),
    [
        (None, None, True),
        (None, principal("t1"), True),
        (Access(tenant="t1", allow=()), None, False),
        (Access(tenant="t1", allow=()), principal("t1"), True),
        (Access(tenant="t1", allow=()), principal("t2"), False),
        (Access(tenant="t1", allow=()), principal(None), False),
        (Access(tenant="t1", allow=(("role", ("nurse", "doctor")),)), principal("t1", role=("doctor",)), True),
        (Access(tenant="t1", allow=(("role", ("nurse",)),)), principal("t1", role=("doctor",)), False),
        (Access(tenant="t1", allow=(("role", ("nurse",)),)), principal("t1"), False),
        (Access(tenant="t1", allow=(("role", ("nurse",)),)), principal("t2", role=("nurse",)), False),
        (Access(tenant="t1", allow=(("campus", ("n",)), ("role", ("a",)))), principal("t1", role=("a",)), False),
        (
            Access(tenant="t1", allow=(("campus", ("n",)), ("role", ("a",)))),
            principal("t1", role=("a",), campus=("n", "s")),
            True,
        ),
        (Access(tenant="t1", allow=(("role", ()),)), principal("t1", role=("a",)), False),
        (Access(tenant=None, allow=(("role", ("a",)),)), None, False),
        (Access(tenant=None, allow=(("role", ("a",)),)), principal("t9", role=("a",)), True),
    ],
)
def test_who_is_let_in(access: Access | None, who: Principal | None, expected: bool) -> None:
    assert permitted(access, who) is expected


def test_a_version_is_served_from_its_start_to_just_before_its_end() -> None:
    versions = [document("v", "x", begin=NOON, end=NOON + 2 * SECOND)]
    shown = [bool(served(versions, NOON + step * SECOND)) for step in (-1, 0, 1, 2, 3)]
    assert shown == [False, True, True, False, False]


def test_offsets_are_instants_not_clock_faces() -> None:
    local = datetime(2026, 3, 1, 21, tzinfo=TOKYO)
    versions = [document("v", "x", begin=local)]
    assert served(versions, NOON) == ["v"]
    assert served(versions, NOON - SECOND) == []
    assert served(versions, datetime(2026, 3, 1, 20, 59, tzinfo=TOKYO)) == []


def test_revocation_is_immediate_and_not_before() -> None:
    versions = [document("v", "x", revoked=NOON)]
    assert [served(versions, NOON - SECOND), served(versions, NOON)] == [["v"], []]


@pytest.mark.parametrize("state", [IndexState.INDEXING, IndexState.FAILED])
def test_an_index_that_is_not_ready_is_not_served(state: IndexState) -> None:
    assert served([document("v", "x", state=state)], NOON) == []


def test_the_successor_takes_over_at_its_instant() -> None:
    versions = [
        document("old", "x", source="s", begin=NOON - timedelta(days=9)),
        document("new", "x", source="s", begin=NOON),
    ]
    assert [served(versions, NOON - SECOND), served(versions, NOON)] == [["old"], ["new"]]


def test_the_old_version_stays_while_the_successor_is_not_ready() -> None:
    old = document("old", "x", source="s", begin=NOON - timedelta(days=9))
    pending = document("new", "x", source="s", begin=NOON - SECOND, state=IndexState.INDEXING)
    assert served([old, pending], NOON) == ["old"]


def test_an_explicit_end_holds_even_without_a_successor() -> None:
    old = document("old", "x", source="s", begin=NOON - timedelta(days=9), end=NOON)
    pending = document("new", "x", source="s", begin=NOON - SECOND, state=IndexState.FAILED)
    assert served([old, pending], NOON) == []


def test_equal_starts_are_a_conflict_and_none_is_served() -> None:
    versions = [
        document("b", "x", source="s", begin=NOON),
        document("a", "x", source="s", begin=NOON.astimezone(TOKYO)),
        document("c", "x", source="s", begin=NOON - SECOND),
        document("d", "x", source="other", begin=NOON),
    ]
    found = visible(versions, None, NOON)
    assert (found.documents, found.conflicts) == (("d",), (("a", "b"),))


def test_a_version_that_the_principal_may_not_see_does_not_replace_his() -> None:
    versions = [
        document("open", "x", source="s", begin=NOON - timedelta(days=9)),
        document("closed", "x", source="s", begin=NOON, access=Access(tenant="t1", allow=())),
    ]
    assert served(versions, NOON) == ["open"]
    assert served(versions, NOON, principal("t1")) == ["closed"]


def test_without_an_instant_nothing_that_has_a_date_is_served() -> None:
    documents = [
        document("plain", "x"),
        document("from", "x", begin=NOON),
        document("to", "x", end=NOON),
        document("revoked", "x", revoked=NOON),
    ]
    assert served(documents, None) == ["plain"]


@given(st.permutations(range(6)))
def test_the_order_of_documents_does_not_matter(order: list[int]) -> None:
    documents = [
        document("e", "x", source="s", begin=NOON),
        document("d", "x", source="s", begin=NOON),
        document("c", "x", source="t", begin=NOON),
        document("b", "x"),
        document("a", "x", access=Access(tenant="t1", allow=())),
        document("f", "x", source="t"),
    ]
    assert visible([documents[index] for index in order], None, NOON) == visible(documents, None, NOON)
