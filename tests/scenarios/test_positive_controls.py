"""Denying everything is found out, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from retrieval_gate.base.fixture import Split
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.retrievers.builtin import CAPABILITIES
from retrieval_gate.scenarios.positive_controls import POSITIVE_CONTROLS
from tests.scenarios.world import Small, run, world


class DeniesAll(Small):
    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        return (Response(id=request.id, hits=(), context=()) for request in requests)


class DeniesTeachers(Small):
    """What is for teachers only is kept from them too."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        for answer in super().answer(requests):
            yield replace(
                answer,
                hits=tuple(hit for hit in answer.hits if hit.chunk != "marks#0"),
                context=(),
                stages=(),
            )


class FiltersLate(Small):
    """What is for teachers only is taken out of the answer at its end, and stays in the stages before that."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        for answer in super().answer(requests):
            passages = answer.context or ()
            yield replace(
                answer,
                hits=tuple(hit for hit in answer.hits if hit.chunk != "marks#0"),
                context=tuple(passage for passage in passages if passage.chunk != "marks#0"),
            )


class Terse(Small):
    """Gives one hit and no stages: a text among others is not found, alone it is."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        for answer in super().answer(requests):
            yield replace(answer, hits=answer.hits[:1], context=None, stages=())


def test_every_pair_of_a_principal_and_a_permitted_judged_chunk_is_a_check(tmp_path: Path) -> None:
    result = run(tmp_path, POSITIVE_CONTROLS)
    assert result.findings == ()
    # pupil: fee, bus, day; teacher: those and marks; guest: south, day; the public: day.
    assert (result.checked, result.checks) == (True, 3 + 4 + 2 + 1)


def test_deny_all_fails_every_check(tmp_path: Path) -> None:
    result = run(tmp_path, POSITIVE_CONTROLS, DeniesAll)
    assert (len(result.findings), result.checks) == (10, 10)
    assert {finding.kind for finding in result.findings} == {"over-restriction"}


def test_one_chunk_that_one_principal_does_not_get_is_named(tmp_path: Path) -> None:
    (finding,) = run(tmp_path, POSITIVE_CONTROLS, DeniesTeachers).findings
    assert (finding.kind, finding.principal, finding.units) == ("over-restriction", "teacher", ("marks#0",))


def test_what_only_a_stage_shows_is_not_served(tmp_path: Path) -> None:
    (finding,) = run(tmp_path, POSITIVE_CONTROLS, FiltersLate).findings
    assert (finding.kind, finding.principal, finding.units) == ("over-restriction", "teacher", ("marks#0",))


def test_a_retriever_of_few_hits_is_asked_for_each_chunk_alone(tmp_path: Path) -> None:
    assert run(tmp_path, POSITIVE_CONTROLS, Terse).findings == ()


def test_a_chunk_that_only_held_out_questions_judge_is_checked_and_not_named(tmp_path: Path) -> None:
    made = world()
    hidden = tuple(
        replace(query, split=Split.HELDOUT) if query.id in {"marks", "bus"} else query for query in made.queries
    )
    result = run(tmp_path, POSITIVE_CONTROLS, DeniesAll, made=replace(made, queries=hidden))
    assert result.checks == 10
    named = {unit for finding in result.findings for unit in finding.units}
    assert named == {"north-fee#0", "south-fee#0", "open#0"}


def test_a_retriever_that_can_only_be_asked_is_checked_all_the_same(tmp_path: Path) -> None:
    few = CAPABILITIES - {"seed", "update", "delete", "revoke"}
    assert run(tmp_path, POSITIVE_CONTROLS, lambda service: Small(service, few)).checks == 10
