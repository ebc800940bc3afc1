"""A document that a principal may not see changes none of its answers; where it does, that is found out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval_gate.base.fixture import Access, Document
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.base.scenario import Unmet
from retrieval_gate.engine.service import KnowledgeService
from retrieval_gate.retrievers.builtin import CAPABILITIES
from retrieval_gate.scenarios.non_interference import NON_INTERFERENCE
from retrieval_gate.scenarios.probes import closed_policies
from tests.scenarios.world import GUEST, TEACHER, Small, kinds, run, world


class CountsAll(Small):
    """Scores hang on how many documents there are, whoever may see them."""

    def __init__(self, service: KnowledgeService) -> None:
        super().__init__(service)
        self._size = 0

    def update(self, document: Document) -> None:
        self._size += 1
        super().update(document)

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        for answer in super().answer(requests):
            yield replace(answer, hits=tuple(replace(hit, score=float(self._size)) for hit in answer.hits))


class Open(Small):
    """Everyone is served what the teacher may see."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        everyone = world().principals[1]
        return super().answer([replace(request, principal=everyone) for request in requests])


def test_the_engine_keeps_its_answers_and_every_comparison_is_counted(tmp_path: Path) -> None:
    result = run(tmp_path, NON_INTERFERENCE)
    assert result.findings == ()
    # Five questions while documents are added, five while those of the fixture are changed and removed.
    assert (result.checked, result.checks) == (True, 10)


def test_statistics_over_hidden_documents_are_found(tmp_path: Path) -> None:
    result = run(tmp_path, NON_INTERFERENCE, CountsAll)
    assert kinds(result) == {"interference"}
    first = result.findings[0]
    assert (first.query, first.principal, first.where) == ("fee", "pupil", "hits")


def test_a_hidden_document_that_comes_out_is_a_leak_with_its_place(tmp_path: Path) -> None:
    result = run(tmp_path, NON_INTERFERENCE, Open)
    leaks = [finding for finding in result.findings if finding.kind == "probe-leak"]
    assert {str(finding.principal) for finding in leaks} == {"pupil", "guest", "None"}
    assert "marks#0" in leaks[0].units


def test_a_retriever_whose_documents_can_not_be_changed_is_not_checked(tmp_path: Path) -> None:
    result = run(tmp_path, NON_INTERFERENCE, lambda service: Small(service, CAPABILITIES - {"update"}))
    assert (result.checked, result.checks, result.findings) == (False, 0, ())


def test_a_fixture_that_keeps_nothing_from_anyone_is_not_checked(tmp_path: Path) -> None:
    public = replace(
        world(),
        documents=tuple(replace(document, access=None) for document in world().documents),
        queries=tuple(replace(query, principal=None) for query in world().queries),
        principals=(),
    )
    result = run(tmp_path, NON_INTERFERENCE, made=public)
    assert (result.checked, result.unmet) == (False, Unmet.FIXTURE)


@pytest.mark.parametrize(
    "admits",
    [
        lambda document, own: document.startswith(own),
        lambda document, own: own.startswith(document),
    ],
    ids=["a longer name", "a shorter name"],
)
def test_a_tenant_whose_name_overlaps_is_another_tenant(
    tmp_path: Path, admits: Callable[[str, str], bool]
) -> None:
    class Overlapping(Small):
        """Takes a document of a tenant of such a name for the tenant's own."""

        def update(self, document: Document) -> None:
            tenant = None if document.access is None else document.access.tenant
            own = next((own for own in ("north", "south") if tenant is not None and admits(tenant, own)), None)
            access = document.access if own is None else Access(tenant=own, allow=())
            super().update(replace(document, access=access if "probe" in document.id else document.access))

    assert kinds(run(tmp_path, NON_INTERFERENCE, Overlapping)) >= {"interference", "probe-leak"}


def test_a_tenant_that_is_there_is_never_made_up() -> None:
    north = TEACHER
    near = replace(GUEST, tenant="nort")
    policies = closed_policies(replace(world(), principals=(north, near)), north)
    assert [policy.tenant for policy in policies] == ["retrieval-gate-nobody", "north-2", "north"]
    assert policies[-1].allow == (("role", ("retrieval-gate-nobody",)),)
