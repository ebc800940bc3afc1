"""Answers of the real libraries; where one is not installed, its tests are skipped by its name."""

from __future__ import annotations

from typing import Any

import pytest

from retrieval_gate.base.transport import Fields
from retrieval_gate.retrievers.contract import read_answer
from retrieval_gate.retrievers.fields import shape

# What the libraries warn of is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")
PLAIN = Fields()
TEXTS = {"k1": "A lost key costs ten euros.", "d1": "Doors lock at night."}


def _library(name: str) -> Any:
    """The module; the test is skipped by name where its library is not installed."""
    return pytest.importorskip(name, reason=f"{name.partition('.')[0]} is not installed")


def _read(raw: object) -> dict[str, Any]:
    """What the contract takes of an answer."""
    return read_answer(shape(raw, PLAIN)).model_dump(exclude_none=True, exclude_defaults=True)


def _embedding(text: str) -> list[float]:
    return [1.0, 0.0] if "key" in text else [0.0, 1.0]


def _langchain_store(**given: Any) -> Any:
    """A store in memory with both texts; `given` are those of their ids and metadata that are said."""
    embeddings = _library("langchain_core.embeddings")
    vectorstores = _library("langchain_core.vectorstores")

    class Embeddings(embeddings.Embeddings):  # type: ignore[misc, name-defined] # the library may be absent
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [_embedding(text) for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return _embedding(text)

    store = vectorstores.InMemoryVectorStore(Embeddings())
    store.add_texts(list(TEXTS.values()), **given)
    return store


def test_langchain_documents_with_ids() -> None:
    found = _langchain_store(ids=list(TEXTS)).as_retriever().invoke("lost key")

    assert _read(found) == {
        "hits": [{"id": "k1"}, {"id": "d1"}],
        "context": [{"id": name, "text": text} for name, text in TEXTS.items()],
    }


def test_langchain_documents_whose_ids_the_store_made_up_are_named_by_their_metadata() -> None:
    said = [{"chunk_id": "k1", "doc_id": "keys"}, {"chunk_id": "d1"}]
    found = _langchain_store(metadatas=said).similarity_search("lost key")

    assert _read(found)["hits"] == [{"id": "k1", "documentId": "keys"}, {"id": "d1"}]


def test_langchain_documents_with_scores() -> None:
    found = _langchain_store(ids=list(TEXTS)).similarity_search_with_score("lost key")

    assert _read(found)["hits"] == [
        {"id": "k1", "score": pytest.approx(1.0)},
        {"id": "d1", "score": pytest.approx(0.0)},
    ]


def test_a_langchain_document_without_any_id_is_told_by_its_class() -> None:
    documents = _library("langchain_core.documents")

    with pytest.raises(Exception, match="hit 1 has no id: list of 1 Document"):
        shape([documents.Document("severance")], PLAIN)


def test_llama_index_nodes_with_scores() -> None:
    schema = _library("llama_index.core.schema")
    source = {schema.NodeRelationship.SOURCE: schema.RelatedNodeInfo(node_id="keys")}
    node = schema.TextNode(id_="k1", text=TEXTS["k1"], relationships=source)
    named = schema.TextNode(text=TEXTS["d1"], metadata={"chunk_id": "d1"})
    picture = schema.ImageNode(id_="p1", image_path="p.png")
    found = [
        schema.NodeWithScore(node=one, score=score) for one, score in ((node, 0.5), (named, 0.25), (picture, None))
    ]

    assert _read(found)["hits"] == [
        {"id": "k1", "score": 0.5, "documentId": "keys"},
        {"id": "d1", "score": 0.25},
        {"id": "p1"},
    ]
    assert _read(found)["context"][:2] == [{"id": name, "text": text} for name, text in TEXTS.items()]


def test_a_llama_index_answer_holds_its_nodes() -> None:
    schema = _library("llama_index.core.schema")
    response = _library("llama_index.core.base.response.schema")
    node = schema.NodeWithScore(node=schema.TextNode(id_="k1", text=TEXTS["k1"]), score=0.5)

    assert _read(response.Response("Ten euros.", source_nodes=[node]))["hits"] == [{"id": "k1", "score": 0.5}]


def test_a_llama_index_retriever_answers() -> None:
    core = _library("llama_index.core")
    schema = _library("llama_index.core.schema")

    class Embedding(core.base.embeddings.base.BaseEmbedding):  # type: ignore[misc, name-defined] # may be absent
        def _get_query_embedding(self, query: str) -> list[float]:
            return _embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return _embedding(query)

        def _get_text_embedding(self, text: str) -> list[float]:
            return _embedding(text)

    nodes = [schema.TextNode(id_=name, text=text) for name, text in TEXTS.items()]
    index = core.VectorStoreIndex(nodes, embed_model=Embedding())

    found = index.as_retriever(similarity_top_k=2).retrieve("lost key")

    assert [hit["id"] for hit in _read(found)["hits"]] == ["k1", "d1"]


def test_a_haystack_pipelines_components_are_stages() -> None:
    haystack = _library("haystack")
    stores = _library("haystack.document_stores.in_memory")
    retrievers = _library("haystack.components.retrievers.in_memory")
    joiners = _library("haystack.components.joiners")
    store = stores.InMemoryDocumentStore()
    store.write_documents(
        [
            haystack.Document(id=name, content=text, embedding=_embedding(text), meta={"doc_id": name[0]})
            for name, text in TEXTS.items()
        ]
    )
    pipeline = haystack.Pipeline()
    pipeline.add_component("joiner", joiners.DocumentJoiner(top_k=1))
    pipeline.add_component("bm25_retriever", retrievers.InMemoryBM25Retriever(store, top_k=1))
    pipeline.add_component("embedding_retriever", retrievers.InMemoryEmbeddingRetriever(store, top_k=1))
    pipeline.connect("bm25_retriever", "joiner")
    pipeline.connect("embedding_retriever", "joiner")

    asked = {
        "bm25_retriever": {"query": "Doors at night"},
        "embedding_retriever": {"query_embedding": _embedding("key")},
    }
    found = _read(pipeline.run(asked, include_outputs_from={"bm25_retriever", "embedding_retriever"}))

    assert [(stage["name"], [hit["id"] for hit in stage["hits"]]) for stage in found["stages"]] == [
        ("candidates:bm25-retriever", ["d1"]),
        ("candidates:embedding-retriever", ["k1"]),
        ("joiner", [found["hits"][0]["id"]]),
    ]
    assert found["hits"][0]["documentId"] == found["hits"][0]["id"][0]
    assert _read(pipeline.run(asked))["hits"] == found["hits"]


def _collection() -> Any:
    chromadb = _library("chromadb")
    settings = chromadb.Settings(anonymized_telemetry=False)
    collection = chromadb.EphemeralClient(settings).get_or_create_collection("gate", embedding_function=None)
    collection.upsert(
        ids=list(TEXTS),
        embeddings=[_embedding(text) for text in TEXTS.values()],
        documents=list(TEXTS.values()),
        metadatas=[{"doc_id": "keys"}, {"doc_id": "doors"}],
    )
    return collection


def test_chromas_columns_are_hits_with_distances() -> None:
    found = _collection().query(query_embeddings=[[1.0, 0.0]], n_results=2)

    assert _read(found) == {
        "hits": [
            {"id": "k1", "score": 0.0, "documentId": "keys"},
            {"id": "d1", "score": pytest.approx(2.0), "documentId": "doors"},
        ],
        "context": [{"id": name, "text": text} for name, text in TEXTS.items()],
        "lowerIsBetter": True,
    }


def test_chromas_columns_may_be_fewer() -> None:
    found = _collection().query(query_embeddings=[[1.0, 0.0]], n_results=1, include=["distances"])

    assert _read(found) == {"hits": [{"id": "k1", "score": 0.0}], "lowerIsBetter": True}


def test_a_chroma_answer_to_two_questions_is_refused() -> None:
    found = _collection().query(query_embeddings=[[1.0, 0.0], [0.0, 1.0]], n_results=1)

    with pytest.raises(Exception, match="it answers 2 queries where one was asked"):
        shape(found, PLAIN)
