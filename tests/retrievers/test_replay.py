"""Recorded answers in a retriever's place: what is told again, what is refused, and what a report says of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retrieval_gate.base.config import AblationSpec, EngineSettings
from retrieval_gate.base.errors import ConfigError, GateError, RetrieverError
from retrieval_gate.base.fixture import Principal, State
from retrieval_gate.base.ids import AblationId, ChunkId, DocumentId, PrincipalId
from retrieval_gate.base.retrieval import Hello, Hit, Passage, Request, Response, Stage
from retrieval_gate.base.transport import ReplaySettings, RunOrder, Transport, UnknownIds
from retrieval_gate.evaluation.requests import requests_of
from retrieval_gate.retrievers.port import Opening, Retriever, administered
from retrieval_gate.retrievers.recording import MadeFor, answer_line, hello_line
from retrieval_gate.retrievers.table import check_retriever, is_recorded, open_retrievers
from tests.evaluation.scripted import DOCUMENTS, QUERIES, found
from tests.scoring.build import fixture

REQUESTS = requests_of(fixture(DOCUMENTS, QUERIES), 10)
CANARY = "severance-for-manager"
SAID = Hello(name="mine", version="2.1", fingerprint="private", capabilities=frozenset({"principals", "seed"}))
MADE_FOR = MadeFor(fixture=("test", 1), k=10)
# Everything that an answer can hold.
FULL = Response(
    id=REQUESTS[0].id,
    hits=(
        Hit(chunk=ChunkId("k1"), score=0.75, document=DocumentId("keys"), ranks=(("fusion", 1),)),
        Hit(chunk=ChunkId("d2"), score=0.5),
    ),
    context=(Passage(chunk=ChunkId("k1"), start=0, end=6), Passage(chunk=ChunkId("d2"), text="A lost key")),
    state=State.ANSWERED,
    citations=(ChunkId("k1"),),
    stages=(Stage(name="fusion", chunks=(ChunkId("k1"),)),),
)
ANSWERS = (FULL, found(REQUESTS[1], "z1", "k1"), Response(id=REQUESTS[2].id, hits=()))


def _lines(requests: Sequence[Request] = REQUESTS, made_for: MadeFor = MADE_FOR) -> list[str]:
    return [hello_line(SAID, made_for), *map(answer_line, requests, ANSWERS)]


def _file(folder: Path, *lines: str, name: str = "a.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def _spec(file: Path, transport: Transport | None = None, **settings: Any) -> AblationSpec:
    used = transport or Transport(settings=ReplaySettings(**settings) if settings else None)
    return AblationSpec(id=AblationId("mine"), retriever=f"replay:{file}", transport=used)


def _opened(spec: AblationSpec, *, run: int = 1, asked: tuple[str, int] | None = ("test", 1)) -> Retriever:
    opening = Opening(
        run=run, folder=Path("unused"), documents=DOCUMENTS, engine=EngineSettings(), aliases=None, fixture=asked
    )
    check_retriever(spec)
    return open_retrievers([spec], opening)[spec.id]


def _told(spec: AblationSpec, requests: Sequence[Request] = REQUESTS, run: int = 1) -> list[Response]:
    return list(_opened(spec, run=run).answer(requests))


def _failed(spec: AblationSpec, requests: Sequence[Request] = REQUESTS) -> tuple[int, RetrieverError]:
    """How many answers came before the failure, and the failure."""
    told: list[Response] = []
    answers = _opened(spec).answer(requests)
    with pytest.raises(RetrieverError) as caught:
        told.extend(answers)
    return len(told), caught.value


def _refused(file: Path) -> GateError:
    with pytest.raises(ConfigError) as caught:
        check_retriever(_spec(file))
    assert CANARY not in str(caught.value)
    return caught.value


def test_everything_that_was_answered_is_told_again_and_no_time(tmp_path: Path) -> None:
    assert _told(_spec(_file(tmp_path, *_lines()))) == list(ANSWERS)


def test_no_question_and_no_fingerprint_is_in_the_file(tmp_path: Path) -> None:
    text = _file(tmp_path, *_lines()).read_text(encoding="utf-8")
    assert not [query.text for query in QUERIES if query.text in text]
    assert SAID.fingerprint not in text


def test_what_a_retriever_said_of_itself_is_told_but_not_what_it_could_do_when_it_was_there(
    tmp_path: Path,
) -> None:
    retriever = _opened(_spec(_file(tmp_path, *_lines())))
    hello = retriever.hello()
    assert (hello.name, hello.version, len(hello.fingerprint)) == ("mine", "2.1", 64)
    assert hello.capabilities == {"stages", "context"}
    assert administered(retriever) is None


def test_a_chunk_that_the_fixture_does_not_have_keeps_the_name_that_stood_for_it(tmp_path: Path) -> None:
    unjudged = Transport(unknown_ids=UnknownIds.UNJUDGED)
    foreign = json.dumps({"v": 1, "id": "cost", "hits": [{"id": "elsewhere"}, {"id": "k1"}]})
    (once,) = _told(_spec(_file(tmp_path, foreign), unjudged), REQUESTS[:1])
    again = _file(tmp_path, hello_line(SAID, MADE_FOR), answer_line(REQUESTS[0], once), name="b.jsonl")

    assert [hit.chunk[:8] for hit in once.hits] == ["unknown-", "k1"]
    assert _told(_spec(again, unjudged), REQUESTS[:1]) == [once]


def test_an_unknown_chunk_fails_where_the_fixture_is_all_there_is(tmp_path: Path) -> None:
    foreign = json.dumps({"v": 1, "id": "cost", "hits": [{"id": CANARY}]})
    told, failure = _failed(_spec(_file(tmp_path, foreign)))
    assert (told, failure.code) == (0, "unknown-id")
    assert CANARY not in str(failure)


EDITED = {
    "query": replace(REQUESTS[1], query="What does a lost key cost now?"),
    "principal": replace(REQUESTS[1], principal=Principal(id=PrincipalId("p"), tenant=None, attributes=())),
    "language": replace(REQUESTS[1], language="en"),
}


@pytest.mark.parametrize("edited", EDITED.values(), ids=EDITED)
def test_an_answer_to_another_question_is_refused_with_its_line_behind_those_that_hold(
    tmp_path: Path, edited: Request
) -> None:
    file = _file(tmp_path, *_lines())
    told, failure = _failed(_spec(file), [REQUESTS[0], edited, REQUESTS[2]])

    assert (told, failure.code) == (1, "stale-recording")
    assert "line 3 of the recording" in failure.what
    assert str(failure.where) == f"{file}:3"


def test_another_number_of_hits_is_another_question(tmp_path: Path) -> None:
    told, failure = _failed(_spec(_file(tmp_path, *_lines())), [replace(REQUESTS[0], k=20)])
    assert (told, failure.code) == (0, "stale-recording")
    assert "k = 10, not k = 20" in failure.what


@pytest.mark.parametrize(
    ("asked", "said"),
    [(("test", 2), "version 1 of the fixture, not version 2"), (("other", 1), "another fixture")],
)
def test_a_recording_for_another_fixture_is_refused(tmp_path: Path, asked: tuple[str, int], said: str) -> None:
    with pytest.raises(RetrieverError, match=said) as caught:
        _opened(_spec(_file(tmp_path, *_lines())), asked=asked)
    assert caught.value.code == "stale-recording"


def test_plain_answers_of_the_contract_are_a_recording_of_which_nothing_is_known(tmp_path: Path) -> None:
    plain = [json.dumps({"v": 1, "id": query.id, "hits": [{"id": "k1"}]}) for query in QUERIES]
    retriever = _opened(_spec(_file(tmp_path, *plain)), asked=("whatever", 9))

    edited = [replace(request, query="another") for request in REQUESTS]
    assert [[hit.chunk for hit in answer.hits] for answer in retriever.answer(edited)] == [["k1"]] * 3
    assert retriever.hello() == Hello(name="replay", version="", fingerprint="", capabilities=frozenset())


def test_an_error_that_was_answered_is_one_still(tmp_path: Path) -> None:
    error = json.dumps({"v": 1, "id": "fee", "error": {"code": "index-offline", "retryable": True}})
    first = json.dumps({"v": 1, "id": "cost", "hits": []})
    told, failure = _failed(_spec(_file(tmp_path, first, error)))
    assert (told, failure.code) == (1, "retriever-error")
    assert "index-offline" in failure.what


def test_a_query_without_an_answer_is_a_failure_and_no_miss(tmp_path: Path) -> None:
    told, failure = _failed(_spec(_file(tmp_path, *_lines()[:2])))
    assert (told, failure.code) == (1, "not-recorded")


def test_it_is_an_empty_answer_where_a_run_leaves_out_what_it_found_nothing_for(tmp_path: Path) -> None:
    told = _told(_spec(_file(tmp_path, *_lines()[:2]), missing_is_empty=True))
    assert told == [FULL, *(Response(id=request.id, hits=()) for request in REQUESTS[1:])]


@pytest.mark.parametrize("missing_is_empty", [True, False])
def test_a_recording_of_other_queries_is_never_all_empty_answers(tmp_path: Path, missing_is_empty: bool) -> None:
    other = json.dumps({"v": 1, "id": "other", "hits": [{"id": "k1"}]})
    told, failure = _failed(_spec(_file(tmp_path, other), missing_is_empty=missing_is_empty))
    assert (told, failure.code) == (0, "not-recorded")
    assert "none of the 3 queries" in failure.what


RUN = """\
cost Q0 k2 1 1.0 t
cost Q0 k1 2 1.0 t
cost Q0 d1 3 7.5 t
fee Q0 z1 1 3 t
none Q0 e1 1 1 t
extra Q0 k1 1 1 t"""


def _hits(spec: AblationSpec, k: int = 10) -> list[tuple[str, float | None]]:
    (answer,) = _told(spec, [replace(REQUESTS[0], k=k)])
    return [(hit.chunk, hit.score) for hit in answer.hits]


def test_a_trec_run_is_ranked_as_by_trec_eval_and_cut_to_what_is_asked_for(tmp_path: Path) -> None:
    file = _file(tmp_path, RUN, name="a.run")
    assert _hits(_spec(file)) == [("d1", 7.5), ("k2", 1.0), ("k1", 1.0)]
    assert _hits(_spec(file), k=2) == [("d1", 7.5), ("k2", 1.0)]


def test_a_trec_run_is_ranked_as_the_file_on_request_and_its_scores_are_left_out(tmp_path: Path) -> None:
    spec = _spec(_file(tmp_path, RUN, name="a.run"), order=RunOrder.FILE)
    assert _hits(spec) == [("k2", None), ("k1", None), ("d1", None)]


def test_the_format_is_told_from_the_content_and_not_from_the_name(tmp_path: Path) -> None:
    assert _hits(_spec(_file(tmp_path, RUN, name="a.jsonl")))[0] == ("d1", 7.5)
    assert _hits(_spec(_file(tmp_path, "\ufeff" + _lines()[0], *_lines()[1:], name="a.run")))[0] == ("k1", 0.75)


def test_the_second_pass_has_the_second_recording_and_every_other_the_first(tmp_path: Path) -> None:
    first = _file(tmp_path, RUN, name="1.run")
    second = _file(tmp_path, RUN.replace("7.5", "0.5"), name="2.run")
    both = _spec(first, second=str(second))

    assert [_told(both, REQUESTS[:1], run)[0].hits[0].chunk for run in (1, 2, 3, 4)] == ["d1", "k2", "d1", "d1"]
    assert [_told(_spec(first), REQUESTS[:1], run)[0].hits[0].chunk for run in (1, 2)] == ["d1", "d1"]


BAD = {
    "an array": ("[1]", "bad-recording", 1),
    "another version": ('{"v":2,"id":"cost","hits":[]}', "bad-recording", 1),
    "true for a version": ('{"v":true,"id":"cost","hits":[]}', "bad-recording", 1),
    "no id": ('{"v":1,"hits":[]}', "bad-recording", 1),
    "no hits": ('{"v":1,"id":"cost"}', "bad-recording", 1),
    "another member": (f'{{"v":1,"id":"cost","hits":[],"{CANARY}":1}}', "bad-recording", 1),
    "a score that is a text": ('{"v":1,"id":"cost","hits":[{"id":"k1","score":"1"}]}', "bad-recording", 1),
    "NaN": ('{"v":1,"id":"cost","hits":[{"id":"k1","score":NaN}]}', "not-finite", 1),
    "torn": ('{"v":1,"id":"cost","hits":[]}\n{"v":1,"id":"fee","hi', "not-json", 2),
    "answered twice": ('{"v":1,"id":"cost","hits":[]}\n\n{"v":1,"id":"cost","hits":[]}', "bad-recording", 3),
    "a key twice": ('{"v":1,"id":"cost","id":"fee","hits":[]}', "duplicate-key", 1),
    "no digest": ('{"v":1,"id":"cost","request":"x","hits":[]}', "bad-recording", 1),
    "another operation": ('{"v":1,"op":"query","id":"cost"}', "bad-recording", 1),
    "hello without a fixture": ('{"v":1,"op":"hello","name":"x"}', "bad-recording", 1),
    "two recordings in one": ("\n".join([*_lines(), _lines()[0]]), "bad-recording", 5),
    "an answer that lost its digest": (_lines()[0] + '\n{"v":1,"id":"cost","hits":[]}', "bad-recording", 2),
    "nothing but hello": (_lines()[0], "empty-recording", None),
    "a line of a run": (RUN + f"\ncost Q0 k1 1 {CANARY} t", "run-score", 7),
    "nothing": ("", "empty-run", None),
}


@pytest.mark.parametrize(("text", "code", "line"), BAD.values(), ids=BAD)
def test_a_file_that_is_no_recording_is_refused_before_anything_runs(
    tmp_path: Path, text: str, code: str, line: int | None
) -> None:
    refused = _refused(_file(tmp_path, text))
    assert refused.where is not None
    assert (refused.code, refused.where.line) == (code, line)


def test_a_recording_that_is_not_there_is_refused_before_anything_runs(tmp_path: Path) -> None:
    assert _refused(tmp_path / "nowhere.jsonl").code == "not-found"
    assert _refused(tmp_path).code in ("not-a-file", "unreadable")
    with pytest.raises(ConfigError, match="no such file"):
        check_retriever(_spec(_file(tmp_path, RUN), second=str(tmp_path / "nowhere")))
    with pytest.raises(ConfigError, match="names no recording"):
        check_retriever(AblationSpec(id=AblationId("mine"), retriever="replay:"))


def test_a_recording_that_changes_after_it_was_checked_is_the_retrievers_failure(tmp_path: Path) -> None:
    file = _file(tmp_path, RUN)
    spec = _spec(file)
    check_retriever(spec)
    file.unlink()
    opening = Opening(folder=tmp_path, documents=DOCUMENTS, engine=EngineSettings(), aliases=None)
    with pytest.raises(RetrieverError) as caught:
        open_retrievers([spec], opening)
    assert caught.value.code == "bad-recording"


def test_only_a_replay_is_recorded() -> None:
    assert is_recorded(AblationSpec(id=AblationId("mine"), retriever="replay:a"))
    assert not is_recorded(AblationSpec(id=AblationId("mine"), retriever="builtin"))
