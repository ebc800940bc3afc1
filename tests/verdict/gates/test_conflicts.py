"""Declared conflicts are told of in a run: who asks is served none of the versions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from retrieval_gate.base.fixture import Access, Document, Fixture, Principal
from retrieval_gate.base.ids import PrincipalId
from retrieval_gate.base.verdict import Status, Verdict
from tests.verdict.factories import document, failed, fixture, judged, of_kind, plan, query, record

BEGINS = datetime(2026, 1, 1, tzinfo=UTC)
ASKED = datetime(2026, 6, 1, tzinfo=UTC)
ANN = Principal(id=PrincipalId("ann"), tenant="a", attributes=())
TEA = query("q1", {"doc-0": 3})
OTHER = query("q2", {"doc-0": 3})


def version(name: str, tenant: str | None = None, begins: datetime = BEGINS) -> Document:
    access = None if tenant is None else Access(tenant=tenant, allow=())
    return replace(document(name), source="fees", effective_from=begins, access=access)


def labelled(*versions: Document, declared: tuple[str, ...] = ("fees",)) -> Fixture:
    """Ann asks q1 and the public asks q2, in June."""
    of = fixture(replace(TEA, principal=ANN.id), OTHER)
    return replace(of, documents=(*of.documents, *versions), principals=(ANN,), as_of=ASKED, conflicts=declared)


def notes(of: Fixture) -> list[Verdict]:
    of_plan = plan(of=of)
    verdicts = judged(of_plan, [record(asked, {"doc-0": 1}) for asked in of.queries])
    assert failed(verdicts) == []
    return of_kind(verdicts, "declared-conflict")


def test_a_conflict_is_noted_with_its_documents_and_the_queries_that_meet_it() -> None:
    (note,) = notes(labelled(version("v1"), version("v2")))
    assert (note.status, note.units, note.n) == (Status.NOTE, ("v1", "v2"), 2)


def test_a_conflict_that_only_one_tenant_may_see_is_met_by_its_queries_alone() -> None:
    (note,) = notes(labelled(version("v1", "a"), version("v2", "a")))
    assert (note.units, note.n) == (("v1", "v2"), 1)
    assert notes(labelled(version("v1", "b"), version("v2", "b"))) == []


def test_versions_of_which_one_is_newer_and_sources_that_are_not_declared_are_not_noted() -> None:
    assert notes(labelled(version("v1"), version("v2", begins=datetime(2026, 2, 1, tzinfo=UTC)))) == []
    assert notes(labelled(version("v1"), version("v2"), declared=())) == []
