"""Versions come and go at their instants; what is served early, late, for ever or never is found out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from retrieval_gate.base.fixture import Document, IndexState
from retrieval_gate.base.ids import DocumentId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.engine.service import KnowledgeService
from retrieval_gate.retrievers.builtin import CAPABILITIES
from retrieval_gate.scenarios.lifecycle import LIFECYCLE
from tests.scenarios.world import DOCUMENTS, Small, kinds, run, world


class LocalTime(Small):
    """The clock face is read as if it were UTC's."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        return super().answer([replace(request, as_of=_face(request.as_of)) for request in requests])


def _face(instant: datetime | None) -> datetime | None:
    return None if instant is None else instant.replace(tzinfo=UTC)


class Hasty(Small):
    """Whatever is put in is ready."""

    def update(self, document: Document) -> None:
        super().update(replace(document, index_state=IndexState.READY))


class Forgetful(Small):
    """Nothing is ever deleted."""

    def delete(self, document: DocumentId) -> None:
        return


class Deaf(Small):
    """Nothing is ever revoked."""

    def revoke(self, document: DocumentId, at: datetime) -> None:
        return


class Sticky(Small):
    """A text that was put in under an id stays the first."""

    def __init__(self, service: KnowledgeService) -> None:
        super().__init__(service)
        self._first: dict[DocumentId, Document] = {}

    def update(self, document: Document) -> None:
        first = self._first.setdefault(document.id, document)
        super().update(replace(document, chunks=first.chunks))

    def delete(self, document: DocumentId) -> None:
        self._first.pop(document, None)
        super().delete(document)


class Undecided(Small):
    """Of two versions that begin together the later one to come is served."""

    def update(self, document: Document) -> None:
        begins = document.effective_from
        if document.id.endswith("rival") and begins is not None:
            document = replace(document, effective_from=begins - timedelta(microseconds=1), source=None)
        super().update(document)


def test_the_engine_serves_each_version_in_its_time_and_every_check_is_counted(tmp_path: Path) -> None:
    result = run(tmp_path, LIFECYCLE)
    assert result.findings == ()
    assert result.checked
    # Two versions before, at and after two instants (one is the fixture's own); then the life of other documents:
    # 20 versions in 9 steps, 3 in place, and 4 answers held against what they were, 3 times.
    assert result.checks == 2 * 2 * 3 + 20 + 2 + 3 * 4


class FiltersLate(Small):
    """What begins at noon is taken out of the answer at its end, and stays in the stages before that."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        for answer in super().answer(requests):
            passages = answer.context or ()
            yield replace(
                answer,
                hits=tuple(hit for hit in answer.hits if hit.chunk != "bus-2#0"),
                context=tuple(passage for passage in passages if passage.chunk != "bus-2#0"),
            )


class NoStages(LocalTime):
    """As if it were all in local time, and tells nothing of how it got its hits."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        return (replace(answer, stages=()) for answer in super().answer(requests))


FAULTS: dict[str, tuple[Callable[[KnowledgeService], Small], set[str]]] = {
    "local time": (LocalTime, {"early-version", "late-version", "missing-version"}),
    "not ready": (Hasty, {"early-version", "missing-version"}),
    "never deleted": (Forgetful, {"ghost-row"}),
    "never revoked": (Deaf, {"late-version", "missing-version"}),
    "old text": (Sticky, {"ghost-row"}),
    "filtered at the end": (FiltersLate, {"missing-version"}),
    "local time without stages": (NoStages, {"early-version", "late-version", "missing-version"}),
    "conflict": (Undecided, {"conflict-served"}),
}


@pytest.mark.parametrize(("make", "named"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_named(tmp_path: Path, make: Callable[[KnowledgeService], Small], named: set[str]) -> None:
    assert kinds(run(tmp_path, LIFECYCLE, make)) >= named


def test_a_finding_says_the_version_and_where_it_came_out(tmp_path: Path) -> None:
    first = run(tmp_path, LIFECYCLE, LocalTime).findings[0]
    assert (first.query, first.principal, first.where) == (None, "pupil", "context")
    assert set(first.units) <= {"bus-1#0", "bus-2#0"}


def test_a_late_version_is_named_with_the_one_that_supersedes_it(tmp_path: Path) -> None:
    found = run(tmp_path, LIFECYCLE, LocalTime).findings
    late = [finding for finding in found if finding.kind == "late-version" and finding.units == ("bus-1#0",)]
    assert {finding.instead for finding in late} == {"bus-2"}
    assert {finding.instead for finding in found if finding.kind == "early-version"} == {None}


def test_a_fixture_whose_only_time_is_an_index_that_is_not_ready_is_checked(tmp_path: Path) -> None:
    waiting = replace(DOCUMENTS[3], index_state=IndexState.INDEXING)
    made = replace(world(), documents=(*DOCUMENTS[:3], waiting), queries=world().queries[:1], principals=())
    public = replace(made, documents=tuple(replace(document, access=None) for document in made.documents))
    asked = tuple(replace(query, principal=None) for query in public.queries)
    assert run(tmp_path, LIFECYCLE, made=replace(public, queries=asked)).checked


def test_a_retriever_that_takes_no_time_is_not_checked(tmp_path: Path) -> None:
    assert not run(tmp_path, LIFECYCLE, lambda service: Small(service, CAPABILITIES - {"asOf"})).checked


def test_a_retriever_that_can_not_be_changed_is_asked_about_the_fixtures_versions_only(tmp_path: Path) -> None:
    result = run(tmp_path, LIFECYCLE, lambda service: Small(service, CAPABILITIES - {"delete"}))
    assert (result.checked, result.checks, result.findings) == (True, 12, ())
