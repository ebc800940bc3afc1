"""What a retriever is asked: some of the fixture's queries, and the same by others and at other times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from retrieval_gate.base.canonical import short_digest
from retrieval_gate.base.fixture import Document, Fixture, Principal, Query, Split
from retrieval_gate.base.ids import PrincipalId, QueryId
from retrieval_gate.base.retrieval import Request
from retrieval_gate.evaluation.requests import requests_of
from retrieval_gate.scenarios.bench import PREFIX
from retrieval_gate.scenarios.probes import NOBODY
from retrieval_gate.scoring.policy import Audience, Policy

# Of the fixture's queries: at most this many; of them so many without an answer, so many of what is restricted.
SAMPLE = 20
NO_ANSWER = 4
RESTRICTED = 6
# Of questions of the doctor's own: by other principals, and at other times.
MOST = 12
IMPOSTORS = 2
# How near to a version's beginning or end it is asked for.
_NEAR = timedelta(seconds=1)


class RoundId(StrEnum):
    """Which questions, and how; the value says when an answer came."""

    FIRST = "asked the first time"
    AGAIN = "asked again"
    REVERSED = "asked in another order"
    TOGETHER = "asked together"
    STRANGERS = "asked by who may not see the answer"
    IMPOSTORS = "asked by who is not listed so"
    TIMES = "asked at another time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`query` says who asks and when, and has the labels that hold then; `origin` is the fixture's query."""

    query: Query
    request: Request
    origin: QueryId


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Questions that are asked one by one, or all together, as a run of the gate does."""

    id: RoundId
    questions: tuple[Question, ...]
    together: bool = False


def rounds_of(fixture: Fixture, k: int, *, concurrency: int, recorded: bool) -> tuple[Round, ...]:
    """The first is the sample; those without a question are left out. A recording has no other answers."""
    sample = _sample(fixture, k)
    repeated = [
        Round(id=RoundId.FIRST, questions=sample),
        Round(id=RoundId.AGAIN, questions=sample),
        Round(id=RoundId.REVERSED, questions=sample[::-1]),
    ]
    if concurrency > 1:
        repeated.append(Round(id=RoundId.TOGETHER, questions=sample, together=True))
    others = () if recorded else _others(fixture, k)
    return tuple(part for part in (*repeated, *others) if part.questions)


def asked_queries(rounds: Sequence[Round]) -> tuple[Query, ...]:
    """Every query that was asked of someone the fixture knows, each once."""
    asked = {
        question.query.id: question.query
        for part in rounds
        if part.id is not RoundId.IMPOSTORS
        for question in part.questions
    }
    return tuple(asked.values())


def _others(fixture: Fixture, k: int) -> tuple[Round, ...]:
    """By principals who may not see, by one who is not listed, and when a version is not served."""
    policy = Policy(fixture)
    judged = _judged(fixture, k)
    return (
        Round(id=RoundId.STRANGERS, questions=tuple(_strangers(fixture, policy, judged))),
        Round(id=RoundId.IMPOSTORS, questions=tuple(_impostors(judged))),
        Round(id=RoundId.TIMES, questions=tuple(_other_times(fixture, policy, judged))),
    )


def _sample(fixture: Fixture, k: int) -> tuple[Question, ...]:
    """Of each kind of query some, the same every time, in fixture order."""
    questions = _questions(fixture, k)
    judged = _judged(fixture, k)
    restricted = [each.question for each in judged if each.document.access is not None]
    picked = sorted(questions, key=lambda each: _digest(fixture, each))
    without = [question for question in picked if question.query.no_answer]
    answerable = [each.question for each in judged]
    order = (*restricted[:RESTRICTED], *without[:NO_ANSWER], *answerable, *picked)
    chosen = [*dict.fromkeys(question.origin for question in order)][:SAMPLE]
    return tuple(question for question in questions if question.origin in chosen)


def _questions(fixture: Fixture, k: int) -> list[Question]:
    """The fixture's own, without those that are held out."""
    return [
        Question(query=query, request=request, origin=query.id)
        for query, request in zip(fixture.queries, requests_of(fixture, k), strict=True)
        if query.split is not Split.HELDOUT
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """A question and the document of its first judgment."""

    question: Question
    document: Document


def _judged(fixture: Fixture, k: int) -> list[_Judged]:
    """One for each query that has an answer, in the order in which they are picked: by digest."""
    owners: dict[str, Document] = {document.id: document for document in fixture.documents}
    owners |= {chunk.id: document for document in fixture.documents for chunk in document.chunks}
    return [
        _Judged(question=question, document=owners[question.query.judgments[0].unit])
        for question in sorted(_questions(fixture, k), key=lambda each: _digest(fixture, each))
        if question.query.judgments
    ]


def _digest(fixture: Fixture, question: Question) -> str:
    return short_digest(("doctor", fixture.id, question.origin))


def _strangers(fixture: Fixture, policy: Policy, judged: Sequence[_Judged]) -> Iterator[Question]:
    """Each asked by one who may not see the judged document; every principal has its turn, the public last."""
    everyone: tuple[Principal | None, ...] = (*fixture.principals, None)
    asked = 0
    for each in judged:
        turned = (*everyone[asked % len(everyone) :], *everyone[: asked % len(everyone)])
        as_of = each.question.request.as_of
        barred = [who for who in turned if policy.is_forbidden(each.document.id, (who, as_of))]
        if barred:
            yield _otherwise(each.question, f"stranger-{asked}", (barred[0], as_of))
            asked += 1
        if asked == MOST:
            return


def _impostors(judged: Sequence[_Judged]) -> Iterator[Question]:
    """By one whom nobody knows, with the rights of who asks that question, and by him in another tenant."""
    asked = 0
    for question in (each.question for each in judged):
        asker, as_of = question.request.principal, question.request.as_of
        if asker is None or asked == IMPOSTORS:
            continue
        nobody = replace(asker, id=PrincipalId(f"{PREFIX}nobody"))
        yield _otherwise(question, f"nobody-{asked}", (nobody, as_of))
        yield _otherwise(question, f"claim-{asked}", (replace(asker, tenant=NOBODY), as_of))
        asked += 1


def _other_times(fixture: Fixture, policy: Policy, judged: Sequence[_Judged]) -> Iterator[Question]:
    """Each asked when the judged document is not served to who asks: before it begins, or once it is over."""
    asked = 0
    for each in judged:
        asker = each.question.request.principal
        moments = _moments(fixture, each.document, before_first=asked % 2 == 0)
        as_of = next((at for at in moments if _unserved(policy, each.document, (asker, at))), None)
        if as_of is not None:
            yield _otherwise(each.question, f"time-{asked}", (asker, as_of))
            asked += 1
        if asked == MOST:
            return


def _unserved(policy: Policy, document: Document, audience: Audience) -> bool:
    return policy.is_stale(document.id, audience) or policy.is_forbidden(document.id, audience)


def _moments(fixture: Fixture, document: Document, *, before_first: bool) -> list[datetime]:
    """Just before the document begins, and just after it ends, is revoked, or the next version begins."""
    versions = [
        other for other in fixture.documents if other.source is not None and other.source == document.source
    ]
    ends = [document.effective_to, document.revoked_at, *(other.effective_from for other in versions)]
    before = [] if document.effective_from is None else [document.effective_from - _NEAR]
    after = sorted(end + _NEAR for end in ends if end is not None)
    return [*before, *after] if before_first else [*after, *before]


def _otherwise(question: Question, name: str, audience: Audience) -> Question:
    """The same words by another principal, or at another time; no label of the query's own holds then."""
    principal, as_of = audience
    asked = QueryId(f"{PREFIX}{name}")
    return Question(
        query=replace(
            question.query,
            id=asked,
            judgments=(),
            principal=None if principal is None else principal.id,
            as_of=as_of,
            expected_state=None,
            forbidden=(),
            stale=(),
        ),
        request=replace(question.request, id=asked, principal=principal, as_of=as_of),
        origin=question.origin,
    )
