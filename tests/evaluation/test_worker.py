"""One run in a worker: what it says, in which order, and what it says of a retriever that fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.fixture import Principal
from retrieval_gate.base.ids import AblationId, PrincipalId, QueryId
from retrieval_gate.base.record import Observation
from retrieval_gate.base.retrieval import Hello, Request, Response
from retrieval_gate.evaluation.determinism import difference
from retrieval_gate.evaluation.requests import requests_of
from retrieval_gate.evaluation.wire import Finished, Introduced, Message
from retrieval_gate.evaluation.worker import work
from retrieval_gate.retrievers import table
from retrieval_gate.retrievers.port import Opening
from tests.evaluation.scripted import QUERIES, Answer, Scripted, found, install, order, plan, right, scheme
from tests.scoring.build import fixture, query

NAMES = [query.id for query in QUERIES]


def _observed(messages: Sequence[Message]) -> list[Observation]:
    return [message for message in messages if isinstance(message, Observation)]


def test_a_run_says_who_answers_then_one_observation_per_ablation_and_query_then_the_end(tmp_path: Path) -> None:
    messages = list(work(order(tmp_path, plan())))

    introduced, seen, end = messages[:2], messages[2:-1], messages[-1]
    assert [hello.ablation for hello in introduced if isinstance(hello, Introduced)] == ["lexical", "hybrid"]
    assert [(one.record.ablation, one.record.query) for one in _observed(seen)] == [
        (ablation, name) for ablation in ("lexical", "hybrid") for name in NAMES
    ]
    assert len(_observed(seen)) == len(seen)
    assert end == Finished()


def test_run_2_seeds_the_documents_in_reverse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    openings: list[Opening] = []

    def open_all(specs: Sequence[object], opening: Opening) -> tuple[Scripted, ...]:
        openings.append(opening)
        return tuple(Scripted(right) for _ in specs)

    specs = install(monkeypatch, a=Scripted(right))
    monkeypatch.setattr(table, "RETRIEVERS", (scheme("scripted", open_all),))
    for run in (1, 2):
        list(work(order(tmp_path, plan(specs), run)))

    first, second = openings
    assert [document.id for document in first.documents] == ["keys", "zh", "doors", "copy"]
    assert second.documents == first.documents[::-1]
    assert first.folder != second.folder


def test_the_engine_answers_the_same_in_both_orders_of_seeding(tmp_path: Path) -> None:
    one, other = (_observed(list(work(order(tmp_path, plan(), run)))) for run in (1, 2))

    assert [difference(*pair) for pair in zip(one, other, strict=True)] == [None] * 6
    assert [seen.hits for seen in one] == [seen.hits for seen in other]  # to the last bit, not within a tolerance
    assert {hit for hit, _ in one[0].hits[:3]} == {"k1", "d2", "e1"}  # a tie of three that had to be broken


def test_a_retriever_that_ranks_by_seeding_order_is_seen_to_differ(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def open_all(specs: Sequence[object], opening: Opening) -> tuple[Scripted, ...]:
        chunks = [document.chunks[0].id for document in opening.documents]
        return (Scripted(lambda requests: (found(request, *chunks) for request in requests)),)

    specs = install(monkeypatch, a=Scripted(right))
    monkeypatch.setattr(table, "RETRIEVERS", (scheme("scripted", open_all),))
    one, other = (_observed(list(work(order(tmp_path, plan(specs), run)))) for run in (1, 2))

    assert [found is not None for found in map(difference, one, other)] == [True] * 3


def test_every_retriever_gets_all_requests_with_the_number_of_hits_to_give(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    retriever = Scripted(right)
    list(work(order(tmp_path, replace(plan(install(monkeypatch, a=retriever)), k=25))))

    assert [(request.id, request.query, request.k, request.trace) for request in retriever.asked] == [
        (query.id, query.text, 25, True) for query in QUERIES
    ]


def test_a_request_carries_its_principal_and_the_time_of_its_query_or_else_of_the_fixture() -> None:
    may, june = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
    asker = Principal(id=PrincipalId("p"), tenant="t", attributes=())
    asked = replace(
        fixture([], [query("own", principal="p", as_of=june), query("plain", language="zh")], [asker]), as_of=may
    )

    own, plain = requests_of(asked, 10)

    assert (own.principal, own.as_of, own.language) == (asker, june, "en")
    assert (plain.principal, plain.as_of, plain.language) == (None, may, "zh")


def _dies(requests: Sequence[Request]) -> Iterator[Response]:
    yield found(requests[0], "k1")
    raise RetrieverError("connection-lost", "the retriever closed its output", fix="start it again")


def _answers_another(requests: Sequence[Request]) -> Iterator[Response]:
    yield found(requests[0], "k1")
    yield found(requests[2], "k1")


def _stops(requests: Sequence[Request]) -> Iterator[Response]:
    yield found(requests[0], "k1")


FAILING: dict[str, tuple[Answer, str, str]] = {
    "dies": (_dies, "connection-lost", "the retriever closed its output, at query fee"),
    "answers another id": (_answers_another, "wrong-id", "an answer to another query came for query fee"),
    "stops early": (_stops, "no-answer-given", "no answer to query fee"),
}


@pytest.mark.parametrize(("answer", "code", "detail"), FAILING.values(), ids=FAILING.keys())
def test_a_retriever_that_fails_midway_is_said_to_and_what_was_measured_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: Answer, code: str, detail: str
) -> None:
    specs = install(monkeypatch, good=Scripted(right), bad=Scripted(answer), after=Scripted(right))

    messages = list(work(order(tmp_path, plan(specs), run=2)))

    assert [(one.record.ablation, one.record.query) for one in _observed(messages)] == [
        ("good", "cost"),
        ("good", "fee"),
        ("good", "none"),
        ("bad", "cost"),
    ]
    failure = RetrieverFailure(run=2, ablation=AblationId("bad"), code=code, detail=detail)
    assert messages[-2:] == [failure, Finished()]


def test_an_answer_too_many_is_a_failure_after_all_that_was_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def answers_once_more(requests: Sequence[Request]) -> Iterator[Response]:
        yield from right(requests)
        yield found(requests[0], "k1")

    messages = list(work(order(tmp_path, plan(install(monkeypatch, a=Scripted(answers_once_more))))))

    assert [one.record.query for one in _observed(messages)] == NAMES
    assert isinstance(messages[-2], RetrieverFailure)
    assert messages[-2].code == "too-many-answers"


def test_a_failure_before_the_first_question_belongs_to_no_ablation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuses() -> Hello:
        raise RetrieverError("no-hello", "the retriever said nothing of itself", fix="answer hello")

    messages = list(work(order(tmp_path, plan(install(monkeypatch, a=Scripted(right, greet=refuses))))))

    detail = "the retriever said nothing of itself"
    assert messages == [RetrieverFailure(run=1, ablation=None, code="no-hello", detail=detail), Finished()]


def test_a_folder_that_holds_an_index_already_is_a_failure_not_a_score(tmp_path: Path) -> None:
    same = order(tmp_path, plan())
    list(work(same))

    messages = list(work(same))

    assert isinstance(messages[0], RetrieverFailure)
    assert messages[0].ablation is None
    assert messages[1:] == [Finished()]


@pytest.mark.parametrize("answer", [right, _dies, _answers_another, _stops])
def test_every_retriever_is_closed_once_however_the_run_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: Answer
) -> None:
    retrievers = {"a": Scripted(right), "b": Scripted(answer), "c": Scripted(right)}

    list(work(order(tmp_path, plan(install(monkeypatch, **retrievers)))))

    assert [retriever.closed for retriever in retrievers.values()] == [1, 1, 1]


def test_a_bug_in_a_retriever_is_raised_and_closes_it_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stumbles(requests: Sequence[Request]) -> Iterator[Response]:
        yield found(requests[0], "k1")
        raise ZeroDivisionError

    retriever = Scripted(stumbles)

    with pytest.raises(ZeroDivisionError):
        list(work(order(tmp_path, plan(install(monkeypatch, a=retriever)))))
    assert retriever.closed == 1


def test_a_hit_that_the_fixture_does_not_know_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    specs = install(monkeypatch, a=Scripted(lambda requests: (found(one, "else", "k1") for one in requests)))

    first = _observed(list(work(order(tmp_path, plan(specs)))))[0]

    assert [chunk for chunk, _ in first.hits] == ["else", "k1"]
    assert first.record.judged[0].rank == 2
    assert first.record.query == QueryId("cost")
