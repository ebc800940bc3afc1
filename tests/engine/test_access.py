"""What the engine serves, held against the policy that the gate judges it by; and who may ask at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.access import visible
from retrieval_gate.base.fixture import Access, Document, IndexState, Principal
from retrieval_gate.base.ids import DocumentId, PrincipalId
from retrieval_gate.engine.access import Directory, served
from tests.engine.factories import document, principal

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
# Two of them are one instant, told in two places.
INSTANTS = st.sampled_from(
    [
        NOON,
        NOON.astimezone(timezone(timedelta(hours=-8))),
        NOON - timedelta(microseconds=1),
        NOON + timedelta(days=1),
    ]
)
VALUES = st.lists(st.sampled_from(["a", "b"]), unique=True).map(lambda values: tuple(sorted(values)))
ATTRIBUTES = st.dictionaries(st.sampled_from(["campus", "role"]), VALUES).map(
    lambda held: tuple(sorted(held.items()))
)
TENANTS = st.sampled_from([None, "t1", "t2"])
POLICIES = st.none() | st.builds(Access, tenant=TENANTS, allow=ATTRIBUTES)
ASKERS = st.none() | st.builds(Principal, id=st.just(PrincipalId("p")), tenant=TENANTS, attributes=ATTRIBUTES)
VERSIONS = st.builds(
    replace,
    st.just(document("d", "key")),
    source=st.sampled_from([None, "s1", "s2"]),
    effective_from=st.none() | INSTANTS,
    effective_to=st.none() | INSTANTS,
    revoked_at=st.none() | INSTANTS,
    index_state=st.sampled_from([IndexState.READY, IndexState.READY, IndexState.FAILED]),
    access=POLICIES,
)


@given(st.lists(VERSIONS, max_size=6), ASKERS, st.none() | INSTANTS)
def test_the_engine_and_the_gate_agree_on_every_policy_date_and_principal(
    versions: list[Document], asker: Principal | None, as_of: datetime | None
) -> None:
    documents = [replace(version, id=DocumentId(f"d{number}")) for number, version in enumerate(versions)]
    assert served(documents, asker, as_of) == set(visible(documents, asker, as_of).documents)


def test_a_principal_is_known_only_as_it_is_listed() -> None:
    listed = principal("t1", role=("staff",))
    directory = Directory([listed])
    assert directory.knows(listed)
    assert directory.knows(None)
    for other in (
        replace(listed, id=PrincipalId("q")),
        replace(listed, tenant="t2"),
        replace(listed, attributes=(("role", ("admin", "staff")),)),
    ):
        assert not directory.knows(other)


def test_without_a_list_whoever_asks_was_authenticated() -> None:
    assert Directory(None).knows(principal("t1"))
    assert not Directory(()).knows(principal("t1"))
