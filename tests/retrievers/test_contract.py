"""What the contract refuses and what it takes, member by member, whatever carried the answer."""

from __future__ import annotations

from typing import Any

import pytest

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.retrievers.contract import answered, read_answer, read_hello
from retrieval_gate.retrievers.known import Known, likely_mapping

HALF = "\ud800"


def _passage(**members: object) -> dict[str, Any]:
    return {"hits": [], "context": [{"id": "k1", **members}]}


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"hits": [{"id": HALF}]}, "hits[0].id"),
        ({"hits": [{"id": "k1", "documentId": HALF}]}, "hits[0].documentId"),
        (_passage(id=HALF), "context[0].id"),
        (_passage(text=HALF), "context[0].text"),
        ({"hits": [], "citations": ["k1", HALF]}, "citations[1]"),
        ({"hits": [], "stages": [{"name": "fusion", "hits": [{"id": HALF}]}]}, "stages[0].hits[0].id"),
        ({"hits": [], "stages": [{"name": HALF, "hits": []}]}, "stages[0].name"),
    ],
)
def test_half_of_a_character_is_refused_wherever_it_stands(body: dict[str, Any], where: str) -> None:
    with pytest.raises(RetrieverError) as caught:
        read_answer(body)

    assert (caught.value.code, caught.value.what) == ("bad-answer", f"{where} is not valid Unicode text")


@pytest.mark.parametrize(
    "said",
    [
        *({name: HALF} for name in ("name", "version", "fingerprint")),
        {"name": "n" * 201},
        {"version": "n" * 201},
        {"fingerprint": "n" * 10_001},
        {"name": None},
    ],
)
def test_what_a_retriever_says_of_itself_is_unicode_and_has_an_end(said: dict[str, object]) -> None:
    with pytest.raises(RetrieverError) as caught:
        read_hello(said)

    assert caught.value.code == "bad-hello"


def test_the_longest_that_a_retriever_may_say_of_itself_is_taken() -> None:
    hello = read_hello({"name": "ü" * 200, "version": "😀" * 200, "fingerprint": "n" * 10_000})

    assert (len(hello.name), len(hello.version), len(hello.fingerprint)) == (200, 200, 10_000)


@pytest.mark.parametrize("name", ["context", "state", "citations", "stages", "lowerIsBetter"])
def test_an_optional_member_that_is_null_is_absent(name: str) -> None:
    assert read_answer({"hits": [], name: None}) == read_answer({"hits": []})


@pytest.mark.parametrize("body", [{"hits": None}, {"hits": [], "other": None}, {"hits": [{"id": None}]}])
def test_any_other_null_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(RetrieverError):
        read_answer(body)


def test_an_error_that_is_null_is_none() -> None:
    answer = {"v": 1, "id": "q", "hits": [], "error": None}

    assert answered(answer, expected="q", pending={}, done={}) == {"hits": []}
    with pytest.raises(RetrieverError) as caught:
        answered({**answer, "error": {}}, expected="q", pending={}, done={})
    assert caught.value.code == "retriever-error"


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"start": 5, "end": 4}, "context[0] ends before it starts"),
        ({"start": 10**9 + 1}, "context[0].start is too large"),
        ({"start": 0, "end": 10**30}, "context[0].end is too large"),
        ({"start": -1}, "context[0].start is negative"),
    ],
)
def test_a_passage_that_can_be_of_no_chunk_is_refused(members: dict[str, object], said: str) -> None:
    with pytest.raises(RetrieverError) as caught:
        read_answer(_passage(**members))

    assert (caught.value.code, caught.value.what) == ("bad-answer", said)


@pytest.mark.parametrize("members", [{}, {"start": 5}, {"end": 5}, {"start": 5, "end": 5}, {"end": 10**9}])
def test_a_passage_that_can_be_of_a_chunk_is_taken(members: dict[str, object]) -> None:
    assert read_answer(_passage(**members)).context is not None


@pytest.mark.parametrize(
    ("fixture", "found", "said"),
    [
        ("fee-07", "fee-7", "the zeros before a number"),
        ("fee-007", "fee-7", "the zeros before a number"),
        ("fee-0007", "fee-07", "the zeros before a number"),
        ("fee#0", "fee#000", "the zeros before a number"),
        ("fee-7", "school:fee-7", "a folder or a prefix"),
        ("fee-7", "docs/fee-7", "a folder or a prefix"),
        ("fee-7", "fee-7.md", "a file's ending"),
    ],
)
def test_an_id_that_is_written_otherwise_is_told_how(fixture: str, found: str, said: str) -> None:
    mapping = likely_mapping([found], Known(chunks=frozenset({fixture}), documents=frozenset()))

    assert mapping is not None
    assert said in mapping.explanation


@pytest.mark.parametrize(("fixture", "found"), [("fee-70", "fee-7"), ("fee-10", "fee-1"), ("fee-7", "fee-8.md")])
def test_another_id_is_not_taken_for_one_that_is_written_otherwise(fixture: str, found: str) -> None:
    assert likely_mapping([found], Known(chunks=frozenset({fixture}), documents=frozenset())) is None
