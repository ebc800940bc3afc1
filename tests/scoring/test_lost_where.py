"""The stage that lost a relevant unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from retrieval_gate.base.fixture import JudgedLevel
from tests.scoring.build import document, judgment, observed, query, response

STAGES: Mapping[str, Sequence[str]] = {
    "candidates:lexical": ("a", "b", "c"),
    "candidates:vector": ("d", "e", "f"),
    "access": ("b", "c", "d", "e", "f"),
    "fusion": ("c", "d", "e", "f"),
    "rerank": ("d", "e", "f"),
    "cut-off": ("e", "f"),
    "abstention": ("f",),
}


@pytest.mark.parametrize(
    ("unit", "stage"),
    [
        ("zz", "candidates"),
        ("a", "access"),
        ("b", "fusion"),
        ("c", "rerank"),
        ("d", "cut-off"),
        ("e", "abstention"),
        ("f", None),
    ],
)
def test_the_first_stage_without_the_unit_is_named(unit: str, stage: str | None) -> None:
    scored = observed(query("q", judgment(unit, 3)), response(["f"], stages=STAGES))
    assert scored.judged[0].lost_at == stage


def test_without_stages_nothing_is_blamed() -> None:
    assert observed(query("q", judgment("a", 3)), response(["b"])).judged[0].lost_at is None
    only_context = response(["b"], stages={"context": ["b"]})
    assert observed(query("q", judgment("a", 3)), only_context).judged[0].lost_at is None


def test_a_unit_that_left_the_last_traced_stage_is_unattributed() -> None:
    answer = response(["b"], stages={"candidates:lexical": ["a", "b"], "fusion": ["a", "b"]})
    assert observed(query("q", judgment("a", 3)), answer).judged[0].lost_at == "unattributed"


def test_the_context_stage_can_not_lose_a_hit() -> None:
    answer = response([], stages={"candidates:x": ["a"], "abstention": [], "context": ["a"]})
    assert observed(query("q", judgment("a", 3)), answer).judged[0].lost_at == "abstention"


def test_a_unit_that_came_back_is_lost_where_it_left_for_good() -> None:
    answer = response([], stages={"candidates:x": ["a"], "expand": [], "fusion": ["a"], "rerank": []})
    assert observed(query("q", judgment("a", 3)), answer).judged[0].lost_at == "rerank"


def test_a_stage_of_the_retrievers_own_is_named_as_it_is() -> None:
    answer = response([], stages={"candidates:x": ["a"], "dedupe:near": []})
    assert observed(query("q", judgment("a", 3)), answer).judged[0].lost_at == "dedupe:near"


def test_a_document_is_lost_with_its_last_chunk() -> None:
    asked = query("q", judgment("d1", 3), level=JudgedLevel.DOCUMENT)
    answer = response(["x"], stages={"candidates:x": ["a", "b", "x"], "fusion": ["b", "x"], "rerank": ["x"]})
    assert observed(asked, answer, document("d1", a="", b="")).judged[0].lost_at == "rerank"
