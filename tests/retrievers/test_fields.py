"""Answers of every known shape as the contract's, and those that can not be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.ids import QueryId
from retrieval_gate.base.retrieval import Request
from retrieval_gate.base.transport import Fields, Transport
from retrieval_gate.retrievers.checks import checked
from retrieval_gate.retrievers.contract import read_answer
from retrieval_gate.retrievers.fields import SHAPES, shape
from retrieval_gate.retrievers.known import known_of
from tests.evaluation.scripted import DOCUMENTS

PLAIN = Fields()
SECRET = "severance-for-the-manager"
UUID_1 = UUID("00000000-0000-0000-0000-000000000001")


@dataclass
class Document:
    """A document as LangChain has it: no score, and an id only where somebody gave one."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class Node:
    """A node as LlamaIndex has it: an id that is made up where none is given."""

    id_: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    ref_doc_id: str | None = None


@dataclass
class NodeWithScore:
    node: Node
    score: float | None = None


class Picture:
    """A node without a text, that says so by raising."""

    id = "k1"

    @property
    def text(self) -> str:
        raise ValueError(SECRET)


def _hits(*names: str) -> list[dict[str, object]]:
    return [{"id": name} for name in names]


def test_every_shape_is_named_once_and_explained() -> None:
    names = [row.id for row in SHAPES]

    assert len(set(names)) == len(names)
    assert [row.id for row in SHAPES if not row.explanation] == []


# The contract


def test_the_contracts_own_answer_is_left_as_it_is() -> None:
    answer = {
        "v": 1,
        "id": "q",
        "hits": [{"id": "k1", "score": 0.5, "documentId": "keys"}],
        "context": [{"id": "k1", "start": 0, "end": 3}],
        "state": "ABSTAINED",
        "citations": ["k1"],
        "stages": [{"name": "fusion", "hits": [{"id": "k1", "score": 0.1}]}],
    }

    assert shape(answer, PLAIN) == {name: part for name, part in answer.items() if name not in ("v", "id")}


def test_what_is_wrong_in_a_contracts_answer_is_told_by_the_contract() -> None:
    with pytest.raises(RetrieverError) as caught:
        read_answer(shape({"hits": [{"id": 5}]}, PLAIN))

    assert (caught.value.code, caught.value.what) == ("bad-answer", "hits[0].id is not a text")


def test_a_contracts_answer_may_hold_documents_of_a_library_in_hits_and_stages() -> None:
    found = [Document("A lost key.", {"doc_id": "keys"}, "k1")]
    answer = {"hits": found, "state": "ANSWERED", "stages": [{"name": "fusion", "hits": found}]}

    assert shape(answer, PLAIN) == {
        "hits": [{"id": "k1", "documentId": "keys"}],
        "context": [{"id": "k1", "text": "A lost key."}],
        "state": "ANSWERED",
        "stages": [{"name": "fusion", "hits": [{"id": "k1"}]}],
    }


def test_a_context_of_the_answers_own_wins_over_the_documents_texts() -> None:
    answer = {"hits": [Document("A lost key.", id="k1")], "context": [{"id": "k2"}]}

    assert shape(answer, PLAIN)["context"] == [{"id": "k2"}]


# Lists


@pytest.mark.parametrize(
    "ids",
    [
        ["k1", "7"],
        ("k1", "7"),
        iter(["k1", "7"]),
        (name for name in ("k1", "7")),
        ["k1", 7],
        np.array(["k1", "7"]),
    ],
)
def test_plain_ids_are_hits(ids: object) -> None:
    assert shape(ids, PLAIN) == {"hits": _hits("k1", "7")}


def test_a_uuid_and_a_number_of_numpy_are_ids() -> None:
    assert shape([UUID_1, np.int64(4)], PLAIN) == {"hits": _hits(str(UUID_1), "4")}


def test_no_hits_are_an_answer_and_none_is_not() -> None:
    assert shape([], PLAIN) == {"hits": []}
    with pytest.raises(RetrieverError) as caught:
        shape(None, PLAIN)
    assert caught.value.what == "an answer can not be read, no shape that is known fits: NoneType"


def test_pairs_are_an_id_and_its_score() -> None:
    pairs = [("k1", 2), ["k2", np.float32(0.5)]]

    assert shape(pairs, PLAIN) == {"hits": [{"id": "k1", "score": 2}, {"id": "k2", "score": 0.5}]}


@pytest.mark.parametrize("name", ["id", "_id", "chunk_id", "chunkId", "id_", "node_id", "uuid"])
@pytest.mark.parametrize("score", ["score", "_score", "similarity", "relevance_score"])
@pytest.mark.parametrize("document", ["document_id", "documentId", "doc_id"])
def test_dicts_are_read_by_usual_names(name: str, score: str, document: str) -> None:
    hit = {name: "k1", score: 0.5, document: "keys"}

    assert shape([hit], PLAIN) == {"hits": [{"id": "k1", "score": 0.5, "documentId": "keys"}]}


@pytest.mark.parametrize("name", ["text", "content", "page_content"])
def test_a_hit_with_a_text_has_it_as_its_context_and_one_without_its_chunk(name: str) -> None:
    assert shape([{"id": "k1", name: "A lost key."}, {"id": "k2"}], PLAIN) == {
        "hits": _hits("k1", "k2"),
        "context": [{"id": "k1", "text": "A lost key."}, {"id": "k2"}],
    }


def test_a_document_alone_is_named_by_its_document() -> None:
    assert shape([{"doc_id": "keys"}], PLAIN) == {"hits": [{"id": "keys", "documentId": "keys"}]}


@pytest.mark.parametrize(
    ("document", "found"),
    [
        (Document("x", {}, "k1"), "k1"),
        (Document("x", {"id": "k1"}), "k1"),
        (Document("x", {"_id": "k1"}), "k1"),
        (Document("x", {"doc_id": "k1"}), "k1"),
        (Document("x", {"chunk_id": "k1"}), "k1"),
        # a store made its id up; the chunk's own is beside it
        (Document("x", {"chunk_id": "k1"}, "8a0c"), "k1"),
        # a number is the place within the document
        (Document("x", {"chunk_id": 3}, "k1"), "k1"),
        (Document("x", {"chunk_id": 3}), "3"),
        (Document("x", {"doc_id": "keys"}, "k1"), "k1"),
    ],
)
def test_a_documents_id_is_its_own_or_in_its_metadata(document: Document, found: str) -> None:
    hits: Any = shape([document], PLAIN)["hits"]

    assert [hit["id"] for hit in hits] == [found]


def test_a_score_in_a_documents_metadata_did_not_make_the_order() -> None:
    assert shape([Document("x", {"relevance_score": 0.5}, "k1")], PLAIN)["hits"] == _hits("k1")


def test_documents_with_a_score_beside_them() -> None:
    assert shape([(Document("x", {}, "k1"), 0.5)], PLAIN)["hits"] == [{"id": "k1", "score": 0.5}]


def test_nodes_with_a_score() -> None:
    node = NodeWithScore(Node("k1", "A lost key.", ref_doc_id="keys"), 0.5)

    assert shape([node], PLAIN) == {
        "hits": [{"id": "k1", "score": 0.5, "documentId": "keys"}],
        "context": [{"id": "k1", "text": "A lost key."}],
    }


def test_a_nodes_metadata_names_its_chunk() -> None:
    assert shape([NodeWithScore(Node("8a0c", "x", {"chunk_id": "k1"}))], PLAIN)["hits"] == _hits("k1")


def test_a_property_that_raises_is_not_there() -> None:
    assert shape([Picture()], PLAIN) == {"hits": _hits("k1")}


def test_a_points_payload_names_its_chunk() -> None:
    point = {"id": 17, "score": 0.5, "payload": {"chunk_id": "k1", "text": "A lost key."}}

    assert shape({"result": {"points": [point]}}, PLAIN) == {
        "hits": [{"id": "k1", "score": 0.5}],
        "context": [{"id": "k1", "text": "A lost key."}],
    }


def test_the_list_of_the_one_query_is_taken_out_of_the_list_of_queries() -> None:
    assert shape([[{"id": "k1"}, {"id": "k2"}]], PLAIN) == {"hits": _hits("k1", "k2")}
    assert shape([["k1", "k2"]], PLAIN) == {"hits": _hits("k1", "k2")}
    assert shape([["k1", 0.5]], PLAIN) == {"hits": [{"id": "k1", "score": 0.5}]}


# Columns


def test_columns_are_read_row_by_row_and_distances_are_better_lower() -> None:
    answer = {
        "ids": [["k1", "d1"]],
        "distances": [[0.1, 0.9]],
        "documents": [["A lost key.", None]],
        "metadatas": [[{"doc_id": "keys"}, None]],
        "embeddings": None,
        "included": ["distances"],
    }

    assert shape(answer, PLAIN) == {
        "hits": [{"id": "k1", "score": 0.1, "documentId": "keys"}, {"id": "d1", "score": 0.9}],
        "context": [{"id": "k1", "text": "A lost key."}, {"id": "d1"}],
        "lowerIsBetter": True,
    }


def test_columns_with_scores_are_better_higher_and_may_be_flat() -> None:
    assert shape({"ids": ["k1"], "scores": [0.5]}, PLAIN) == {"hits": [{"id": "k1", "score": 0.5}]}


@pytest.mark.parametrize("answer", [{"ids": [[]], "distances": [[]]}, {"ids": []}])
def test_empty_columns_are_no_hits(answer: object) -> None:
    assert shape(answer, PLAIN) == {"hits": []}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"ids": [["k1"], ["k2"]]}, "it answers 2 queries where one was asked"),
        ({"ids": [["k1"]], "distances": [[0.1, 0.2]]}, "its columns have different lengths"),
    ],
)
def test_columns_that_can_not_be_one_answer_are_refused(answer: object, why: str) -> None:
    with pytest.raises(RetrieverError, match=why) as caught:
        shape(answer, PLAIN)
    assert caught.value.code == "unknown-shape"


# Components


def test_each_component_with_documents_is_a_stage_and_the_last_ones_are_the_hits() -> None:
    one, other = {"id": "k1", "score": 2.0}, {"id": "d1", "score": 1.0}
    answer = {
        "bm25_retriever": {"documents": [one]},
        "Embedding Retriever": {"documents": [other]},
        "joiner": {"documents": [one, other]},
        "llm": {"replies": [SECRET]},
    }

    assert shape(answer, PLAIN) == {
        "hits": [one, other],
        "stages": [
            {"name": "candidates:bm25-retriever", "hits": [one]},
            {"name": "candidates:embedding-retriever", "hits": [other]},
            {"name": "joiner", "hits": [one, other]},
        ],
    }


@pytest.mark.parametrize("name", ["1", "_", "重排", "A" * 200, "retriever" * 20, "-x-"])
def test_a_component_of_any_name_is_a_stage_that_the_contract_takes(name: str) -> None:
    answer = read_answer(shape({name: {"documents": ["k1"]}}, PLAIN))

    assert [[hit.id for hit in stage.hits] for stage in answer.stages] == [["k1"]]


# Holders


class Answer:
    """An object that holds its nodes, as a query engine's answer does."""

    def __init__(self) -> None:
        self.response = SECRET
        self.source_nodes = [NodeWithScore(Node("k1", "x"), 0.5)]


@pytest.mark.parametrize(
    "answer",
    [
        {"results": [{"id": "k1", "score": 0.5}]},
        {"matches": [{"id": "k1", "score": 0.5}], "namespace": SECRET},
        {"hits": {"total": {"value": 1}, "hits": [{"_id": "k1", "_score": 0.5, "_source": {}}]}, "took": 3},
        {"query": SECRET, "source_documents": [{"id": "k1", "score": 0.5}]},
        {"input": SECRET, "context": [{"id": "k1", "score": 0.5}], "answer": SECRET},
        Answer(),
    ],
)
def test_a_list_is_found_under_its_usual_names(answer: object) -> None:
    assert shape(answer, PLAIN)["hits"] == [{"id": "k1", "score": 0.5}]


# Fields


def test_fields_lead_to_what_stands_elsewhere() -> None:
    fields = Fields(
        hits="result.0.found", id="payload.ref", score="rank.value", document="payload.of", text="body.0"
    )
    hit = {
        "payload": {"ref": "k1", "of": "keys"},
        "rank": {"value": 0.5},
        "id": "not this",
        "body": ["A lost key."],
    }

    assert shape({"result": [{"found": [hit]}]}, fields) == {
        "hits": [{"id": "k1", "score": 0.5, "documentId": "keys"}],
        "context": [{"id": "k1", "text": "A lost key."}],
    }


def test_fields_hold_for_the_contracts_own_answer_too() -> None:
    assert shape({"hits": [{"id": "x", "documentId": "k1"}]}, Fields(id="documentId"))["hits"] == [
        {"id": "k1", "documentId": "k1"}
    ]


@pytest.mark.parametrize("fields", [Fields(score="rank"), Fields(document="of"), Fields(text="body")])
def test_a_path_that_no_hit_has_is_a_slip_and_one_that_some_have_is_not(fields: Fields) -> None:
    name = str(fields.score or fields.document or fields.text)
    shape([{"id": "k1", name: "1"}, {"id": "k2"}], fields)

    with pytest.raises(RetrieverError, match="no hit has anything at fields"):
        shape([{"id": "k1"}, {"id": "k2"}], fields)


@pytest.mark.parametrize("path", ["result", "result.found.0", "nothing.at.all", "result.x"])
def test_a_path_to_hits_that_leads_to_no_list_is_told(path: str) -> None:
    with pytest.raises(RetrieverError, match=r"fields\.hits leads to no list") as caught:
        shape({"result": {"found": [SECRET]}}, Fields(hits=path))
    assert SECRET not in str(caught.value)


# What can not be read


@dataclass
class Opaque:
    secret: str = SECRET


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (SECRET, "no shape that is known fits: str"),
        (17, "no shape that is known fits: int"),
        (Opaque(), "no shape that is known fits: Opaque"),
        ({SECRET: SECRET}, "no shape that is known fits: dict with 1 keys"),
        ([Opaque()] * 3, "hit 1 has no id: list of 3 Opaque"),
        ([{SECRET: 1, "score": 2}], "hit 1 has no id: list of 1 dict with 2 keys, score among them"),
        (["k1", None, 0.5], "hit 2 has no id: list of 1 str and 1 NoneType and 1 float"),
        ([(SECRET, SECRET, 3)], "hit 1 has no id: list of 1 tuple of 3"),
        ([True], "hit 1 has no id: list of 1 bool"),
        ([b"k1"], "hit 1 has no id: list of 1 bytes"),
        (type("Über", (), {})(), "no shape that is known fits: object"),
    ],
)
def test_what_can_not_be_read_is_told_by_its_types_and_never_by_what_it_holds(answer: object, what: str) -> None:
    with pytest.raises(RetrieverError) as caught:
        shape(answer, PLAIN)

    assert (caught.value.code, caught.value.what) == ("unknown-shape", f"an answer can not be read, {what}")
    assert SECRET not in str(caught.value)


def test_a_list_without_end_is_not_read_to_it() -> None:
    def forever() -> Iterator[str]:
        while True:
            yield "k1"

    hits: Any = shape(forever(), PLAIN)["hits"]

    assert len(hits) == 100_000


# The order of scores


def _checked(answer: object, fields: Fields) -> None:
    request = Request(id=QueryId("q"), query="?", k=5, principal=None, as_of=None, language="en", trace=False)
    checked(read_answer(shape(answer, fields)), request, known_of(DOCUMENTS), Transport(fields=fields), 0)


NEAR_FIRST = [("k1", 0.1), ("d1", 0.9)]
FAR_FIRST = NEAR_FIRST[::-1]


def _distances(pairs: list[tuple[str, float]]) -> list[dict[str, object]]:
    return [{"id": name, "distance": score} for name, score in pairs]


def _columns(pairs: list[tuple[str, float]]) -> dict[str, object]:
    return {"ids": [[name for name, _ in pairs]], "distances": [[score for _, score in pairs]]}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (_columns(NEAR_FIRST), None),
        (_distances(NEAR_FIRST), None),
        (_columns(FAR_FIRST), False),
        (_distances(FAR_FIRST), False),
        (FAR_FIRST, None),
        (NEAR_FIRST, True),
        ({"hits": [{"id": "k1", "score": 0.1}, {"id": "d1", "score": 0.9}], "lowerIsBetter": True}, None),
    ],
)
def test_scores_agree_with_the_order(answer: object, told: bool | None) -> None:
    _checked(answer, Fields(lower_is_better=told))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (_columns(FAR_FIRST), None),
        (_distances(FAR_FIRST), None),
        (_columns(NEAR_FIRST), False),
        (NEAR_FIRST, None),
        (FAR_FIRST, True),
    ],
)
def test_scores_against_the_order_are_refused(answer: object, told: bool | None) -> None:
    with pytest.raises(RetrieverError) as caught:
        _checked(answer, Fields(lower_is_better=told))

    assert caught.value.code == "scores-against-order"


def test_a_score_that_is_no_number_is_refused_by_the_contract() -> None:
    for score in (float("nan"), np.float32("inf"), "0.5", True):
        with pytest.raises(RetrieverError, match=r"hits\[0\]\.score"):
            _checked([{"id": "k1", "score": score}], PLAIN)


def test_nothing_of_a_library_is_imported() -> None:
    folder = Path(__file__).parents[2] / "src/retrieval_gate/retrievers"
    texts = [path.read_text(encoding="utf-8") for path in (*folder.glob("shapes/*.py"), folder / "fields.py")]

    assert len(texts) > 5
    for library in ("langchain", "llama_index", "haystack", "chromadb", "numpy"):
        assert [text for text in texts if f"import {library}" in text or f"from {library}" in text] == []
