"""A cache that forgets a principal or a revocation is found out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from retrieval_gate.base.fixture import Document
from retrieval_gate.base.ids import DocumentId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.engine.service import KnowledgeService
from retrieval_gate.scenarios.cache_probe import CACHE_PROBE
from tests.scenarios.world import Small, kinds, run


class Cached(Small):
    """Keeps every answer under its question and, unless `shared`, its principal; for ever."""

    shared = False

    def __init__(self, service: KnowledgeService) -> None:
        super().__init__(service)
        self._kept: dict[object, Response] = {}

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        for request in requests:
            key = (request.query, None if self.shared else request.principal)
            if key not in self._kept:
                (self._kept[key],) = super().answer([request])
            yield replace(self._kept[key], id=request.id)


class Shared(Cached):
    shared = True


class Counted(Small):
    """Keeps the hits of every answer under its question until a change, however many were asked for."""

    def __init__(self, service: KnowledgeService) -> None:
        super().__init__(service)
        self._kept: dict[object, Response] = {}

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        for request in requests:
            key = (request.query, request.principal)
            if key not in self._kept:
                (self._kept[key],) = super().answer([request])
            yield replace(self._kept[key], id=request.id)

    def update(self, document: Document) -> None:
        self._kept.clear()
        super().update(document)

    def revoke(self, document: DocumentId, at: datetime) -> None:
        self._kept.clear()
        super().revoke(document, at)


class Generous(Small):
    """Gives all that it has, however many are asked for."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        return super().answer([replace(request, k=50) for request in requests])


class Moody(Small):
    """Scores hang on how many questions were asked before."""

    def __init__(self, service: KnowledgeService) -> None:
        super().__init__(service)
        self._asked = 0

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        for answer in super().answer(requests):
            self._asked += 1
            yield replace(answer, hits=tuple(replace(hit, score=float(self._asked)) for hit in answer.hits))


def test_the_engine_forgets_nothing_that_decides_an_answer(tmp_path: Path) -> None:
    result = run(tmp_path, CACHE_PROBE)
    assert result.findings == ()
    # For each of three principals: what another got, what the first got again, after the revocation, and after
    # one hit was asked for.
    assert (result.checked, result.checks) == (True, 12)


def test_a_cache_without_the_principal_in_its_key_leaks(tmp_path: Path) -> None:
    result = run(tmp_path, CACHE_PROBE, Shared)
    leaks = [finding for finding in result.findings if finding.kind == "cache-leak"]
    assert leaks
    assert leaks[0].units
    assert leaks[0].where == "context"


def test_a_cache_that_is_kept_on_revocation_is_named(tmp_path: Path) -> None:
    result = run(tmp_path, CACHE_PROBE, Cached)
    assert kinds(result) == {"revoked-served"}


def test_a_cache_without_the_number_of_hits_in_its_key_is_named(tmp_path: Path) -> None:
    assert kinds(run(tmp_path, CACHE_PROBE, Counted)) == {"cache-mixed"}


def test_a_retriever_that_gives_more_than_was_asked_for_is_no_faulty_cache(tmp_path: Path) -> None:
    assert run(tmp_path, CACHE_PROBE, Generous).findings == ()


def test_an_answer_that_hangs_on_who_asked_before_is_named(tmp_path: Path) -> None:
    assert "cache-mixed" in kinds(run(tmp_path, CACHE_PROBE, Moody))
