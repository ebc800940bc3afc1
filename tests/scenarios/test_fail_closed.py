"""One whom nobody knows is served nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.retrievers.builtin import CAPABILITIES
from retrieval_gate.scenarios.fail_closed import FAIL_CLOSED
from tests.scenarios.world import Small, run, world


class Hospitable(Small):
    """Whoever is not listed is the public."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        known = world().principals
        return super().answer(
            [request if request.principal in known else replace(request, principal=None) for request in requests]
        )


def test_the_engine_serves_no_impostor(tmp_path: Path) -> None:
    result = run(tmp_path, FAIL_CLOSED)
    # The first and the last principal, each with another id and with another tenant, two questions each.
    assert (result.checked, result.checks, result.findings) == (True, 8, ())


def test_an_unknown_principal_that_is_taken_for_the_public_is_named(tmp_path: Path) -> None:
    result = run(tmp_path, FAIL_CLOSED, Hospitable)
    assert {finding.kind for finding in result.findings} == {"unknown-principal"}
    assert {finding.principal for finding in result.findings} == {"retrieval-gate-probe", "pupil", "guest"}
    assert {unit for finding in result.findings for unit in finding.units} == {"open#0"}


def test_a_retriever_that_keeps_no_list_is_not_checked(tmp_path: Path) -> None:
    assert not run(tmp_path, FAIL_CLOSED, lambda service: Small(service, CAPABILITIES - {"directory"})).checked
