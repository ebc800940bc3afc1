"""Both runs together: what is compared, kept, scored as missing, and never passed off as complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard, cast

import pytest

from retrieval_gate.base.difference import Cause
from retrieval_gate.base.errors import InternalError, RetrieverError
from retrieval_gate.base.evaluation import Evaluation, RetrieverFailure
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.record import Observation
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.base.scores import Scores
from retrieval_gate.evaluation.evaluate import evaluate
from retrieval_gate.evaluation.pair import WorkerPair
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.evaluation.wire import Introduced, Message
from retrieval_gate.evaluation.worker import work
from tests.evaluation.scripted import QUERIES, Scripted, found, install, order, plan, right

NAMES = [query.id for query in QUERIES]


@dataclass(slots=True)
class Spoken:
    """Stands for a worker that says what a test gives it."""

    says: Sequence[Message]

    def messages(self) -> Iterator[Message]:
        return iter(self.says)


@dataclass(slots=True)
class SpokenPair:
    first: Spoken
    second: Spoken

    def messages(self) -> tuple[Iterator[Message], Iterator[Message]]:
        return self.first.messages(), self.second.messages()


def _evaluated(made: Plan, first: Sequence[Message], second: Sequence[Message]) -> Evaluation:
    return evaluate(made, cast(WorkerPair, SpokenPair(Spoken(first), Spoken(second))))


def _said(folder: Path, made: Plan, run: int) -> list[Message]:
    """What a worker says up to the end that `WorkerPair` takes off."""
    return list(work(order(folder, made, run)))[:-1]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """A plan of two ablations that find the same chunk for every question."""
    return plan(install(monkeypatch, one=Scripted(right), two=Scripted(right)))


def test_two_equal_runs_are_one_evaluation_without_differences(tmp_path: Path, made: Plan) -> None:
    evaluation = _evaluated(made, _said(tmp_path, made, 1), _said(tmp_path, made, 2))

    assert (evaluation.differences, evaluation.failures) == ((), ())
    assert [(record.ablation, record.query) for record in evaluation.scores.records] == [
        (ablation, name) for ablation in ("one", "two") for name in NAMES
    ]
    assert [record for record in evaluation.scores.records if record.missing] == []
    values = _values(evaluation)
    # `k1` answers the first of the two answerable questions; the third has no answer, and got one.
    assert values["one", "recall@5"] == values["two", "recall@5"] == (0.5, 2)
    assert values["one", "no-answer-fpr"] == (1.0, 1)


def _values(evaluation: Evaluation) -> dict[tuple[str, str], tuple[float | None, int]]:
    """Value and n by ablation and metric, over all queries."""
    rows = [row for row in evaluation.scores.rows if row.slice == "all"]
    return {(str(row.ablation), str(row.metric)): (row.value, row.n) for row in rows}


def test_progress_is_told_of_every_pair_of_answers(tmp_path: Path, made: Plan) -> None:
    told: list[tuple[int, int]] = []
    said = _said(tmp_path, made, 1)

    evaluate(made, cast(WorkerPair, SpokenPair(Spoken(said), Spoken(said))), lambda *step: told.append(step))

    assert sorted(set(told)) == [(done, 6) for done in range(7)]
    assert told == sorted(told)


def test_a_difference_names_ablation_and_query_and_run_1_is_scored(tmp_path: Path, made: Plan) -> None:
    first = _said(tmp_path, made, 1)
    moved = [_empty(one) if _is_about(one, "two", "fee") else one for one in first]

    evaluation = _evaluated(made, first, moved)

    assert [(one.ablation, one.query, one.rank, one.cause) for one in evaluation.differences] == [
        ("two", "fee", 1, Cause.HITS)
    ]
    assert evaluation.scores == _evaluated(made, first, first).scores
    assert _evaluated(made, moved, first).scores != evaluation.scores


def _is_about(message: Message, ablation: str, query: str) -> TypeGuard[Observation]:
    if not isinstance(message, Observation):
        return False
    return (message.record.ablation, message.record.query) == (ablation, query)


def _empty(seen: Observation) -> Observation:
    return replace(seen, hits=(), record=replace(seen.record, returned=0))


def test_latencies_are_those_of_run_1_by_ablation(tmp_path: Path, made: Plan) -> None:
    second = _said(tmp_path, made, 2)
    first = [replace(one, latency_ns=2_000_000) if isinstance(one, Observation) else one for one in second]

    latencies = _evaluated(made, first, second).latencies

    assert [(one.ablation, one.count, one.median) for one in latencies] == [("one", 3, 2.0), ("two", 3, 2.0)]


def test_who_answered_moves_the_definition(tmp_path: Path, made: Plan) -> None:
    first = _said(tmp_path, made, 1)
    upgraded = [
        replace(said, hello=replace(said.hello, version="2")) if isinstance(said, Introduced) else said
        for said in first
    ]

    one, other = _evaluated(made, first, first).definition, _evaluated(made, upgraded, upgraded).definition

    assert one.components.providers != other.components.providers
    assert one.queries == other.queries


def _dies(requests: Sequence[Request]) -> Iterator[Response]:
    yield found(requests[0], "k1")
    raise RetrieverError("connection-lost", "the retriever closed its output", fix="start it again")


def _failed(run: int) -> RetrieverFailure:
    return RetrieverFailure(
        run=run,
        ablation=AblationId("two"),
        code="connection-lost",
        detail="the retriever closed its output, at query fee",
    )


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """A plan of three ablations, of which the second fails after its first answer."""
    return plan(install(monkeypatch, one=Scripted(right), two=Scripted(_dies), three=Scripted(right)))


def _missing(scores: Scores) -> list[tuple[str, str]]:
    return [(record.ablation, record.query) for record in scores.records if record.missing]


def test_a_retriever_that_fails_in_both_runs_is_a_failure_of_both_and_the_rest_is_missing(
    tmp_path: Path, dying: Plan
) -> None:
    evaluation = _evaluated(dying, _said(tmp_path, dying, 1), _said(tmp_path, dying, 2))

    assert evaluation.failures == (_failed(1), _failed(2))
    assert _missing(evaluation.scores) == [("two", "fee"), ("two", "none")] + [("three", name) for name in NAMES]
    assert [record.query for record in evaluation.scores.records] == NAMES * 3
    assert [(latency.ablation, latency.count) for latency in evaluation.latencies] == [
        ("one", 3),
        ("two", 1),
        ("three", 0),
    ]


@pytest.mark.parametrize("run", [1, 2])
def test_a_retriever_that_fails_in_one_run_only_is_a_failure_all_the_same(
    tmp_path: Path, dying: Plan, run: int
) -> None:
    """The other run goes on where this one ended."""
    ended = _said(tmp_path, dying, run)
    went_on = [*ended[:-1], next(message for message in ended if isinstance(message, Observation))]
    first, second = (ended, went_on) if run == 1 else (went_on, ended)

    evaluation = _evaluated(dying, first, second)

    assert evaluation.failures == (_failed(run),)
    assert ("two", "cost") not in _missing(evaluation.scores)
    assert ("two", "fee") in _missing(evaluation.scores)


def test_a_failure_before_the_first_question_leaves_every_query_missing(made: Plan) -> None:
    failure = RetrieverFailure(run=1, ablation=None, code="no-start", detail="it did not start")

    evaluation = _evaluated(made, [failure], [])

    assert evaluation.failures == (failure,)
    assert len(_missing(evaluation.scores)) == 6


def test_a_missing_query_scores_as_empty_and_counts_in_n(tmp_path: Path, dying: Plan) -> None:
    evaluation = _evaluated(dying, _said(tmp_path, dying, 1), _said(tmp_path, dying, 2))

    values = _values(evaluation)
    assert values["one", "recall@5"] == (0.5, 2)
    assert values["three", "recall@5"] == (0.0, 2)


@pytest.mark.parametrize("keep", [1, 4])
def test_a_run_that_ends_early_without_a_failure_is_a_bug_never_an_incomplete_pass(
    tmp_path: Path, made: Plan, keep: int
) -> None:
    said = _said(tmp_path, made, 1)

    for first, second in ((said, said[:keep]), (said[:keep], said)):
        with pytest.raises(InternalError) as caught:
            _evaluated(made, first, second)
        assert caught.value.code == "out-of-step"


def test_two_real_workers_agree_on_the_engines_answers(tmp_path: Path) -> None:
    asked = plan()
    with WorkerPair() as pair:
        pair.begin(asked)
        evaluation = evaluate(asked, pair)

    assert (evaluation.differences, evaluation.failures) == ((), ())
    here = [message.record for message in work(order(tmp_path, asked)) if isinstance(message, Observation)]
    assert list(evaluation.scores.records) == here
