"""What the policy forbids or holds stale, derived for each query beside the labels that it lists."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from retrieval_gate.base.fixture import Access, Document, Fixture, IndexState, Principal
from retrieval_gate.base.ids import ChunkId, DocumentId, PrincipalId
from retrieval_gate.base.record import QueryRecord, Where
from retrieval_gate.base.retrieval import Hit, Response
from retrieval_gate.scoring.observe import Observer
from retrieval_gate.scoring.policy import Policy
from tests.scoring.build import ABLATION, document, fixture, judgment, passage, query, response

JANUARY, FEBRUARY, JUNE = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 6))
ANNA = Principal(id=PrincipalId("anna"), tenant="north", attributes=(("role", ("clerk",)),))
BOB = Principal(id=PrincipalId("bob"), tenant="south", attributes=())
NORTH, SOUTH = Access(tenant="north", allow=()), Access(tenant="south", allow=())
MANAGERS = Access(tenant="north", allow=(("role", ("manager",)),))


def doc(name: str, **fields: Any) -> Document:
    """A document of two chunks, `<name>-1` and `<name>-2`."""
    return replace(document(name, **{f"{name}-1": "one", f"{name}-2": "two"}), **fields)


GUARDED = (doc("public"), doc("north", access=NORTH), doc("south", access=SOUTH), doc("boss", access=MANAGERS))
DATED = (
    doc("old", source="mate", effective_from=JANUARY),
    doc("new", source="mate", effective_from=FEBRUARY),
    doc("over", effective_to=JUNE),
    doc("revoked", revoked_at=JUNE),
    doc("building", index_state=IndexState.INDEXING),
)


def world(*documents: Document, **fields: Any) -> Fixture:
    asked = replace(query("q", judgment("public-1", 3)), **fields)
    return replace(fixture(documents, [asked], [ANNA, BOB]), as_of=JUNE)


def seen(of: Fixture, answer: Response) -> QueryRecord:
    return Observer(of).observe(ABLATION, of.queries[0], answer).record


@pytest.mark.parametrize(
    ("principal", "leaks", "checked"),
    [
        (None, ["boss-1", "north-1", "south-1"], 6),
        ("anna", ["boss-1", "south-1"], 4),
        ("bob", ["boss-1", "north-1"], 4),
    ],
)
def test_what_the_policy_keeps_from_a_principal_is_a_leak_without_any_label(
    principal: str | None, leaks: list[str], checked: int
) -> None:
    record = seen(
        world(*GUARDED, principal=principal), response(["south-1", "public-1", "north-1", "public-2", "boss-1"])
    )
    assert [chunk for chunk, _ in record.leaks] == leaks
    assert (record.checked_forbidden, record.stale) == (checked, ())


def test_labels_and_policy_are_counted_once_and_labels_come_first() -> None:
    of = world(*GUARDED, principal="anna", forbidden=(ChunkId("south-2"), ChunkId("elsewhere")))
    record = seen(of, response(["boss-1", "south-2", "elsewhere"]))
    assert [chunk for chunk, _ in record.leaks] == ["south-2", "elsewhere", "boss-1"]
    assert record.checked_forbidden == 5


def test_a_neighbour_of_another_tenant_leaks_in_the_context() -> None:
    of = world(*GUARDED, principal="anna")
    record = seen(of, response(["public-1"], context=[passage("public-1"), passage("south-2")]))
    assert record.leaks == (("south-2", Where.CONTEXT),)


def test_a_role_filter_behind_retrieval_leaks_in_its_stages() -> None:
    of = world(*GUARDED, principal="anna")
    stages = {"candidates:lexical": ["boss-1", "public-1"], "access": ["public-1"]}
    assert seen(of, response(["public-1"], stages=stages)).leaks == (("boss-1", Where.STAGES),)


def test_a_hit_that_only_its_document_is_known_of_leaks_as_that_document() -> None:
    hit = Hit(chunk=ChunkId("their own id"), document=DocumentId("south"))
    record = seen(world(*GUARDED, principal="anna"), response([hit]))
    assert record.leaks == (("south", Where.HITS),)


@pytest.mark.parametrize("tenant", ["nowhere", None])
def test_an_unknown_tenant_sees_public_documents_only(tenant: str | None) -> None:
    of = replace(world(*GUARDED, principal="anna"), principals=(replace(ANNA, tenant=tenant),))
    assert [chunk for chunk, _ in seen(of, response(["north-1", "public-1"])).leaks] == ["north-1"]


def test_a_missing_attribute_fails_closed() -> None:
    clerks = replace(GUARDED[1], access=Access(tenant="north", allow=(("role", ("clerk",)),)))
    of = world(clerks, principal="anna")
    assert seen(of, response(["north-1"])).leaks == ()
    bare = replace(of, principals=(replace(ANNA, attributes=()),))
    assert [chunk for chunk, _ in seen(bare, response(["north-1"])).leaks] == ["north-1"]


def test_an_unknown_principal_is_never_scored_as_the_public() -> None:
    of = world(*GUARDED, principal="nobody")
    with pytest.raises(KeyError):
        seen(of, response([]))


def test_what_is_not_current_is_stale_and_what_is_revoked_is_forbidden() -> None:
    record = seen(world(*DATED), response(["new-1", "old-1", "over-1", "building-1", "revoked-1"]))
    assert [chunk for chunk, _ in record.stale] == ["building-1", "old-1", "over-1"]
    assert [chunk for chunk, _ in record.leaks] == ["revoked-1"]
    assert (record.checked_stale, record.checked_forbidden) == (6, 2)


def test_before_its_date_the_new_version_is_the_stale_one() -> None:
    record = seen(world(*DATED, as_of=JANUARY), response(["new-1", "old-1", "over-1", "revoked-1"]))
    assert [chunk for chunk, _ in record.stale] == ["new-1"]
    assert record.leaks == ()


def test_a_version_that_the_principal_may_not_see_supersedes_nothing() -> None:
    secret = replace(DATED[1], access=SOUTH)
    record = seen(world(DATED[0], secret, principal="anna"), response(["old-1"]))
    assert (record.stale, record.checked_stale, record.checked_forbidden) == ((), 0, 2)


def test_conflicting_versions_are_both_stale() -> None:
    twins = (DATED[0], replace(DATED[1], effective_from=JANUARY))
    assert [chunk for chunk, _ in seen(world(*twins), response(["new-1", "old-1"])).stale] == ["new-1", "old-1"]


def test_the_version_that_supersedes_another_is_named() -> None:
    of = world(*DATED)
    policy = Policy(of)
    audience = policy.audience(of.queries[0])
    assert policy.successor(DocumentId("old"), audience) == "new"
    assert policy.successor(DocumentId("over"), audience) is None
    assert policy.successor(DocumentId("public"), audience) is None


def test_a_fixture_without_policy_has_nothing_to_check() -> None:
    record = seen(world(doc("public")), response(["public-1"]))
    assert (record.checked_forbidden, record.checked_stale) == (0, 0)


def test_a_citation_is_of_something_that_was_retrieved() -> None:
    of = world(doc("public"), doc("other"))
    answer = response(["public-1"], context=[passage("public-1"), passage("public-2")])
    cited = replace(answer, citations=tuple(map(ChunkId, ("public-1", "public-2", "other-1", "invented"))))
    record = seen(of, cited)
    assert (record.bad_citations, record.checked_citations) == (("other-1", None), 4)
    assert seen(of, replace(answer, citations=(ChunkId("public-1"),) * 2)).checked_citations == 1
    assert seen(of, answer).checked_citations == 0


def test_an_abstention_that_cites_cites_what_was_not_retrieved() -> None:
    assert seen(world(doc("public")), response([], citations=["public-1"])).bad_citations == ("public-1",)
