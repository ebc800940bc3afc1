"""The reference application's own numbers: five ablations and 60 random ranking sets, within 1e-12.

Its contexts are texts without provenance, cut at rank 10 after duplicates are dropped; a hit without a context has
none. It counts UTF-16 units and this project code points. They differ only for signs outside the basic plane, of
which its corpus and labels hold none: only the *returned* characters of a context differ, by one for each such
sign. So recall is compared as it is, and precision after adding that one per sign to the denominator.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from retrieval_gate.base.fixture import Fixture, Query
from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.retrieval import Hit, Passage, Response
from retrieval_gate.scoring.metrics.table import parse_metric
from retrieval_gate.scoring.observe import Observer
from tests.scoring.build import ABLATION, document, fixture, judgment, query, span
from tests.shared import shared

pytestmark = pytest.mark.shared

TOLERANCE = 1e-12
NAMES = {
    "recallAt5": "recall@5",
    "recallAt10": "recall@10",
    "mrrAt10": "mrr@10",
    "ndcgAt10": "ndcg@10",
    "contextRecall": "context-recall",
    "noAnswerFalsePositiveRate": "no-answer-fpr",
}
# Rank order of (chunk id, context or None).
Ranking = Sequence[tuple[str, str | None]]


def load(name: str) -> Any:
    return json.loads(shared(f"oracle/reference/{name}").read_text(encoding="utf-8"))


@cache
def reference_fixture() -> Fixture:
    raw = load("fixture.json")
    documents = [
        document(entry["id"], **{chunk["id"]: chunk["content"] for chunk in entry["chunks"]})
        for entry in raw["documents"]
    ]
    texts = {chunk.id: chunk.content for entry in documents for chunk in entry.chunks}
    return fixture(documents, [_query(entry, texts) for entry in raw["queries"]])


def _query(entry: Mapping[str, Any], texts: Mapping[ChunkId, str]) -> Query:
    judgments = []
    for label in entry["judgments"]:
        chunk = ChunkId(label["chunkId"])
        starts = [(texts[chunk].index(one["text"]), len(one["text"])) for one in label["spans"]]
        spans = [span(chunk, start, start + length) for start, length in starts]
        judgments.append(judgment(chunk, label["relevance"], *spans))
    return query(entry["id"], *judgments, no_answer=entry["noAnswer"], language=entry["language"])


def score(rankings: Mapping[str, Ranking]) -> list[QueryRecord]:
    """One record per query of the fixture; those that a set lacks are missing."""
    corpus = reference_fixture()
    observer = Observer(corpus)
    return [
        observer.observe(ABLATION, asked, _response(asked, rankings[asked.id])).record
        if asked.id in rankings
        else observer.missing(ABLATION, asked)
        for asked in corpus.queries
    ]


def _response(asked: Query, ranking: Ranking) -> Response:
    return Response(
        id=asked.id,
        hits=tuple(Hit(chunk=ChunkId(chunk)) for chunk, _ in ranking),
        context=tuple(
            Passage(chunk=ChunkId(chunk), text=text) for chunk, text in first_ten(ranking).items() if text
        ),
    )


def first_ten(ranking: Ranking) -> dict[str, str | None]:
    """The contexts that count: of a duplicate the first entry, even where that one has no context."""
    first: dict[str, str | None] = {}
    for chunk, text in ranking:
        first.setdefault(chunk, text)
    return dict(list(first.items())[:10])


def astral(ranking: Ranking) -> int:
    """How many more UTF-16 units than code points the counted contexts have."""
    return len([sign for text in first_ten(ranking).values() for sign in text or "" if ord(sign) > 0xFFFF])


def compare(records: Sequence[QueryRecord], rankings: Mapping[str, Ranking], expected: Mapping[str, Any]) -> None:
    for theirs, ours in NAMES.items():
        value, _ = parse_metric(ours).aggregate(records)
        assert value == pytest.approx(expected[theirs], abs=TOLERANCE), ours
    answerable = [record for record in records if record.judged]
    matched = returned = extra = 0
    for record in answerable:
        matched += record.matched_characters or 0
        returned += record.returned_characters or 0
        extra += astral(rankings.get(record.query, ()))
    precision, n = parse_metric("context-precision").aggregate(records)
    assert precision == matched / returned
    assert n == len(answerable)
    assert matched / (returned + extra) == pytest.approx(expected["contextPrecision"], abs=TOLERANCE)


def of_language(records: Sequence[QueryRecord], language: str) -> list[QueryRecord]:
    asked = {entry.id for entry in reference_fixture().queries if entry.language == language}
    return [record for record in records if record.query in asked]


def test_neither_corpus_nor_labels_hold_a_sign_outside_the_basic_plane() -> None:
    """So that only returned characters can differ from the reference's units."""
    texts = [chunk.content for entry in reference_fixture().documents for chunk in entry.chunks]
    assert max(ord(sign) for text in texts for sign in text) <= 0xFFFF


@pytest.mark.parametrize("number", range(60))
def test_random_ranking_sets(number: int) -> None:
    case = load_fuzz()[number]
    rankings = {
        name: [(entry["chunkId"], entry.get("context")) for entry in ranking]
        for name, ranking in case["rankings"].items()
    }
    records = score(rankings)
    compare(records, rankings, case["metrics"])
    for language, expected in case["metricsByLanguage"].items():
        compare(of_language(records, language), rankings, expected)


def test_the_random_sets_reach_what_they_are_meant_to_reach() -> None:
    """Missing queries, duplicates, hits without context and astral signs all occur."""
    entries = [entry for case in load_fuzz() for ranking in case["rankings"].values() for entry in ranking]
    queries = len(reference_fixture().queries)
    assert any(len(case["rankings"]) < queries for case in load_fuzz())
    assert any("context" not in entry for entry in entries)
    assert any("\U0001f4a5" in entry.get("context", "") for entry in entries)


@cache
def load_fuzz() -> list[Any]:
    cases: list[Any] = load("fuzz_metrics.json")["cases"]
    assert len(cases) == 60
    return cases


@cache
def ablation_rankings() -> dict[str, dict[str, Ranking]]:
    texts = {chunk.id: chunk.content for entry in reference_fixture().documents for chunk in entry.chunks}
    return {
        ablation["id"]: {
            entry["queryId"]: [(hit["chunkId"], _context(hit["context"], texts)) for hit in entry["results"]]
            for entry in ablation["queries"]
        }
        for ablation in load("rankings.json")["ablations"]
    }


def _context(context: Mapping[str, Any], texts: Mapping[ChunkId, str]) -> str:
    """The recorded context is the chunks it names; its recorded length proves it."""
    text = "\n\n".join(texts[ChunkId(chunk)] for chunk in context["chunkIds"])
    assert len(text) == context["codepoints"]
    return text


@pytest.mark.parametrize(
    "ablation", ["lexical", "token-hash-vector", "regression-alias-vector", "hybrid", "hybrid-rerank"]
)
def test_the_five_ablations(ablation: str) -> None:
    expected = load("expected_metrics.json")[ablation]
    rankings = ablation_rankings()[ablation]
    records = score(rankings)
    compare(records, rankings, expected["all"])
    for language in ("en", "zh-CN"):
        compare(of_language(records, language), rankings, expected[language])
    for record in records:
        if record.judged:
            _compare_query(record, expected["perQuery"][record.query])


def _compare_query(record: QueryRecord, expected: Mapping[str, Any]) -> None:
    """The reference fills an empty context's precision with 0; here it is not measured."""
    for theirs, ours in {**NAMES, "contextPrecision": "context-precision"}.items():
        value = parse_metric(ours).value(record)
        if ours == "context-precision" and record.returned_characters == 0:
            assert (value, expected[theirs]) == (None, 0)
        elif theirs in expected:
            assert value == pytest.approx(expected[theirs], abs=TOLERANCE), (record.query, ours)
