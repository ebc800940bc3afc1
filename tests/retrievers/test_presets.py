"""The shapes of search engines over HTTP, as their own references show them: what is asked, and what is read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.retrieval import Hello, Response
from retrieval_gate.base.transport import Fields, HttpSettings, Transport
from retrieval_gate.retrievers.presets import PRESETS, preset_row
from tests.retrievers.asking import Asked, ask, opened, request, spec
from tests.retrievers.servers import Received, serving

QUESTION = replace(request("q1", "lost key?"), as_of=datetime(2026, 3, 1, tzinfo=UTC))

# https://docs.opensearch.org/latest/api-reference/search-apis/search/
OPENSEARCH = {
    "took": 1,
    "timed_out": False,
    "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    "hits": {
        "total": {"value": 2, "relation": "eq"},
        "max_score": 1.38,
        "hits": [
            {"_index": "kb", "_id": "k1", "_score": 1.38, "_source": {"title": "Keys"}},
            {"_index": "kb", "_id": "z1", "_score": 0.5, "_source": {"title": "钥匙"}},
        ],
    },
}
# https://api.qdrant.tech/api-reference/search/query-points
QDRANT = {
    "usage": {"hardware": None},
    "time": 0.002,
    "status": "ok",
    "result": {
        "points": [
            {"id": 42, "version": 3, "score": 0.75, "payload": {"chunk_id": "k1"}, "order_value": 51},
            {"id": "5f0c", "version": 3, "score": 0.5, "payload": {"chunk_id": "z1"}},
        ]
    },
}
# https://docs.vespa.ai/en/reference/default-result-format.html
VESPA = {
    "root": {
        "id": "toplevel",
        "relevance": 1.0,
        "fields": {"totalCount": 2},
        "coverage": {"coverage": 100, "documents": 9, "full": True, "nodes": 1, "results": 1, "resultsFull": 1},
        "children": [
            {"id": "group:root:0", "relevance": 1.0, "children": []},
            {"id": "id:kb:chunk::k1", "relevance": 0.9, "source": "kb", "fields": {"chunk": "k1"}},
            {"id": "id:kb:chunk:g=north:z1", "relevance": 0.2, "source": "kb", "fields": {"chunk": "z1"}},
        ],
    }
}
# https://typesense.org/docs/28.0/api/search.html
TYPESENSE = {
    "facet_counts": [],
    "found": 2,
    "hits": [
        {"document": {"id": "k1"}, "highlights": [], "text_match": 1157451471441625000},
        {"document": {"id": "z1"}, "highlights": [], "text_match": 130816},
    ],
    "out_of": 10,
    "page": 1,
    "request_params": {"per_page": 2, "q": "lost key?"},
    "search_cutoff": False,
    "search_time_ms": 1,
}
HYBRID = {
    "hits": [
        {"document": {"id": "k1"}, "hybrid_search_info": {"rank_fusion_score": 0.7}, "text_match": 0},
        {"document": {"id": "z1"}, "hybrid_search_info": {"rank_fusion_score": 0.3}, "text_match": 578730},
    ]
}
# https://www.meilisearch.com/docs/reference/api/search
MEILISEARCH = {
    "hits": [{"id": "k1", "_rankingScore": 0.9546}, {"id": "z1", "_rankingScore": 0.8103}],
    "query": "lost key?",
    "processingTimeMs": 1,
    "limit": 2,
    "offset": 0,
    "estimatedTotalHits": 2,
}
PLAIN = {"results": [{"id": "k1", "score": 2}, {"id": "z1", "score": 1}]}


def exchanged(
    folder: Path, answer: object, settings: HttpSettings, fields: Fields | None = None
) -> tuple[Asked, Received, Hello]:
    """What one question came to, the request that was sent, and what the retriever is said to be."""
    transport = Transport(settings=settings, fields=fields or Fields())
    with (
        serving(lambda talk: talk.reply(answer)) as server,
        opened(folder, spec(f"{server.url}?x=1", transport)) as retriever,
    ):
        hello, asked = retriever.hello(), ask(retriever, [QUESTION])
    return asked, server.requests[0], hello


def found(asked: Asked) -> list[tuple[str, float | None]]:
    (response,) = asked.responses or (Response(id=QUESTION.id, hits=()),)
    return [(hit.chunk, hit.score) for hit in response.hits]


VECTOR = '{"query":{"text":"{query}","model":"qdrant/bm25"},"using":"words","limit":"{k}","with_payload":true}'


@pytest.mark.parametrize(
    ("preset", "answer", "scores"),
    [
        ("json", PLAIN, (2, 1)),
        ("opensearch", OPENSEARCH, (1.38, 0.5)),
        ("elasticsearch", OPENSEARCH, (1.38, 0.5)),
        ("qdrant", QDRANT, (0.75, 0.5)),
        ("qdrant", {**QDRANT, "result": QDRANT["result"]["points"]}, (0.75, 0.5)),  # type: ignore[index]
        ("vespa", VESPA, (0.9, 0.2)),
        ("typesense", TYPESENSE, (float(1157451471441625000), 130816.0)),
        ("typesense", {"results": [TYPESENSE]}, (float(1157451471441625000), 130816.0)),
        ("typesense", HYBRID, (0.7, 0.3)),
        ("meilisearch", MEILISEARCH, (0.9546, 0.8103)),
    ],
)
def test_an_engines_answer_is_read_with_its_ids_and_the_scores_that_order_it(
    tmp_path: Path, preset: str, answer: object, scores: tuple[float, float]
) -> None:
    body = VECTOR if preset == "qdrant" else None

    asked, _, hello = exchanged(tmp_path, answer, HttpSettings(preset=preset, body=body))

    assert asked.failure is None
    assert found(asked) == [("k1", scores[0]), ("z1", scores[1])]
    assert hello.capabilities == frozenset()
    assert hello.fingerprint


@pytest.mark.parametrize(
    ("preset", "answer"),
    [
        ("json", []),
        ("opensearch", {**OPENSEARCH, "hits": {"hits": [], "max_score": None}}),
        ("vespa", {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0}}}),
        ("typesense", {"found": 0, "hits": []}),
        ("meilisearch", {"hits": [], "query": ""}),
    ],
)
def test_nothing_found_is_an_answer(tmp_path: Path, preset: str, answer: object) -> None:
    asked, _, _ = exchanged(tmp_path, answer, HttpSettings(preset=preset))

    assert (asked.failure, found(asked)) == (None, [])


@pytest.mark.parametrize(
    ("preset", "body"),
    [
        ("json", {"query": "lost key?", "k": 2}),
        ("opensearch", {"size": 2, "query": {"multi_match": {"query": "lost key?"}}}),
        ("vespa", {"yql": "select * from sources * where userQuery()", "query": "lost key?", "hits": 2}),
        ("meilisearch", {"q": "lost key?", "limit": 2, "showRankingScore": True}),
    ],
)
def test_a_preset_asks_as_the_engine_wants_to_be_asked(tmp_path: Path, preset: str, body: object) -> None:
    _, received, _ = exchanged(tmp_path, [], HttpSettings(preset=preset))

    assert (received.method, received.target) == ("POST", "/search?x=1")
    assert received.body == body


def test_with_get_the_members_are_parameters_beside_those_of_the_address(tmp_path: Path) -> None:
    body = '{"q":"{query}","n":"{k}","who":"{principal.attributes.role}","not":null,"yes":true}'

    _, received, _ = exchanged(tmp_path, [], HttpSettings(preset="json", method="GET", body=body))

    assert received.body is None
    assert parse_qs(urlsplit(received.target).query) == {
        "x": ["1"],
        "q": ["lost key?"],
        "n": ["2"],
        "who": ["teacher"],
        "yes": ["true"],
    }


def test_typesense_is_asked_with_get(tmp_path: Path) -> None:
    _, received, _ = exchanged(tmp_path, TYPESENSE, HttpSettings(preset="typesense"))

    assert received.method == "GET"
    assert parse_qs(urlsplit(received.target).query) == {"x": ["1"], "q": ["lost key?"], "per_page": ["2"]}


@pytest.mark.parametrize(
    ("body", "capabilities"),
    [
        ('{"q":"{query}","tenant":"{principal.tenant}"}', {"principals"}),
        ('{"q":"{query}","filter":["{principal.attributes.role}"],"at":"{asOf}"}', {"principals", "asOf"}),
        ('{"q":"{query}"}', set()),
    ],
)
def test_what_the_request_makes_use_of_is_what_the_retriever_is_taken_to_honour(
    tmp_path: Path, body: str, capabilities: set[str]
) -> None:
    _, received, hello = exchanged(tmp_path, [], HttpSettings(preset="json", body=body))

    assert hello.capabilities == capabilities
    assert received.body["q"] == "lost key?"


def test_another_body_is_another_retriever(tmp_path: Path) -> None:
    with serving(lambda talk: talk.reply([])) as server:
        hellos = []
        for run, body in enumerate(('{"q":"{query}"}', '{"q":"{query}","k":3}', '{"q":"{query}"}'), start=1):
            transport = Transport(settings=HttpSettings(preset="json", body=body))
            with opened(tmp_path, spec(server.url, transport), run) as retriever:
                hellos.append(retriever.hello())

    assert hellos[0] == hellos[2]
    assert hellos[0].fingerprint != hellos[1].fingerprint


def test_the_users_own_paths_win_over_the_presets(tmp_path: Path) -> None:
    answer = {"hits": {"hits": [{"_id": "a", "_score": 9, "_source": {"ref": {"chunk": "k1"}, "rank": 0.5}}]}}
    fields = Fields(id="_source.ref.chunk", score="_source.rank")

    asked, _, _ = exchanged(tmp_path, answer, HttpSettings(preset="opensearch"), fields)

    assert found(asked) == [("k1", 0.5)]


def test_vespas_hits_can_be_named_by_a_field(tmp_path: Path) -> None:
    children = [{"id": "index:kb/0/abc", "relevance": 0.5, "fields": {"chunk": "k1"}}]
    answer = {"root": {"children": children}}

    by_field, _, _ = exchanged(tmp_path, answer, HttpSettings(preset="vespa"), Fields(id="fields.chunk"))
    (tmp_path / "run-1").rmdir()
    by_id, _, _ = exchanged(tmp_path, answer, HttpSettings(preset="vespa"))

    assert found(by_field) == [("k1", 0.5)]
    assert by_id.code == "no-document-id"


@pytest.mark.parametrize(
    ("preset", "answer"),
    [
        ("opensearch", {**OPENSEARCH, "timed_out": True}),
        ("elasticsearch", {**OPENSEARCH, "_shards": {"total": 2, "successful": 1, "failed": 1}}),
        ("vespa", {"root": {"errors": [{"code": 12, "summary": "Timed out"}], "children": []}}),
        ("vespa", {"root": {"coverage": {"full": False, "degraded": {"timeout": True, "match-phase": False}}}}),
        ("typesense", {**TYPESENSE, "search_cutoff": True}),
        ("typesense", {"results": [{**TYPESENSE, "search_cutoff": True}]}),
    ],
)
def test_an_answer_that_the_engine_calls_incomplete_is_no_measurement(
    tmp_path: Path, preset: str, answer: object
) -> None:
    asked, _, _ = exchanged(tmp_path, answer, HttpSettings(preset=preset))

    assert (asked.responses, asked.code) == ((), "incomplete-answer")


def test_vespas_match_phase_is_asked_for_by_the_schema_and_is_complete(tmp_path: Path) -> None:
    degraded = {"match-phase": True, "timeout": False, "adaptive-timeout": False, "non-ideal-state": False}
    answer = {"root": {**VESPA["root"], "coverage": {"full": False, "degraded": degraded}}}

    asked, _, _ = exchanged(tmp_path, answer, HttpSettings(preset="vespa"))

    assert found(asked) == [("k1", 0.9), ("z1", 0.2)]


@pytest.mark.parametrize(
    ("preset", "answer"),
    [
        ("json", {"message": "a private text"}),
        ("opensearch", {"error": {"reason": "a private text"}, "status": 200}),
        ("typesense", {"results": [{"code": 404, "error": "a private text"}]}),
        ("meilisearch", "a private text"),
    ],
)
def test_what_has_no_hits_is_told_by_its_shape_only(tmp_path: Path, preset: str, answer: object) -> None:
    asked, _, _ = exchanged(tmp_path, answer, HttpSettings(preset=preset))

    assert asked.code == "unknown-shape"
    assert "private" not in asked.what


def test_every_preset_is_named_once_and_explained() -> None:
    names = [name for row in PRESETS for name in row.names]

    assert len(set(names)) == len(names)
    assert [row.names for row in PRESETS if not row.explanation] == []
    assert [preset_row(name).names[0] for name in ("contract", "elasticsearch")] == ["contract", "opensearch"]


def test_a_misspelt_preset_is_told_the_nearest() -> None:
    with pytest.raises(ConfigError, match="the nearest is meilisearch"):
        preset_row("melisearch")
