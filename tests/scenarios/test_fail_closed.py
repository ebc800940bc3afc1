"""One whom nobody knows is served nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.base.scenario import Unmet
from retrieval_gate.retrievers.builtin import CAPABILITIES
from retrieval_gate.scenarios.fail_closed import FAIL_CLOSED
from tests.scenarios.test_positive_controls import DeniesAll
from tests.scenarios.world import Small, run, world


class Hospitable(Small):
    """Whoever is not listed is the public."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        known = world().principals
        return super().answer(
            [request if request.principal in known else replace(request, principal=None) for request in requests]
        )


class Trusting(Small):
    """Looks no further than at the id and the tenant of who asks."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        listed = {(principal.id, principal.tenant): principal for principal in world().principals}
        asked = [
            replace(request, principal=listed.get((request.principal.id, request.principal.tenant)))
            if request.principal is not None
            else request
            for request in requests
        ]
        askers = [(one.principal, two.principal) for one, two in zip(asked, requests, strict=True)]
        for (known, claimed), answer in zip(askers, super().answer(asked), strict=True):
            refused = known is None and claimed is not None
            yield replace(answer, hits=(), context=(), stages=()) if refused else answer


def test_the_engine_serves_no_impostor(tmp_path: Path) -> None:
    result = run(tmp_path, FAIL_CLOSED)
    # The first and the last principal, each with another id, another tenant and a role more; a question of the
    # public's and one of their own.
    assert (result.checked, result.checks, result.findings) == (True, 12, ())


def test_an_unknown_principal_that_is_taken_for_the_public_is_named(tmp_path: Path) -> None:
    result = run(tmp_path, FAIL_CLOSED, Hospitable)
    assert {finding.kind for finding in result.findings} == {"unknown-principal"}
    assert {finding.principal for finding in result.findings} == {"retrieval-gate-probe", "pupil", "guest"}
    assert {unit for finding in result.findings for unit in finding.units} == {"open#0"}


def test_a_principal_that_claims_a_role_more_than_is_listed_is_found_out(tmp_path: Path) -> None:
    result = run(tmp_path, FAIL_CLOSED, Trusting)
    assert {finding.kind for finding in result.findings} == {"unknown-principal"}
    assert {finding.principal for finding in result.findings} == {"pupil", "guest"}


def test_nothing_is_checked_by_questions_that_nobody_gets_anything_for(tmp_path: Path) -> None:
    result = run(tmp_path, FAIL_CLOSED, DeniesAll)
    assert (result.checked, result.unmet) == (False, Unmet.FIXTURE)


def test_a_retriever_that_keeps_no_list_is_not_checked(tmp_path: Path) -> None:
    result = run(tmp_path, FAIL_CLOSED, lambda service: Small(service, CAPABILITIES - {"directory"}))
    assert (result.checked, result.unmet) == (False, Unmet.RETRIEVER)
