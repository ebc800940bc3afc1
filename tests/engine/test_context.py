from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.config import EngineSettings
from retrieval_gate.base.fixture import Access
from retrieval_gate.base.ids import ChunkId, DocumentId
from retrieval_gate.engine.context import ContextAssembly
from retrieval_gate.engine.corpus import ChunkRow
from tests.engine.factories import answer, answers, document, principal, request

# Document a: chunks 0..4 of ten characters; document b: one of ten.
CHUNKS = tuple(
    ChunkRow(id=ChunkId(f"{name}#{ordinal}"), document=DocumentId(name), ordinal=ordinal, length=10, twin=0)
    for name, count in (("a", 5), ("b", 1))
    for ordinal in range(count)
)


def assembled(
    hits: list[int], *, budget: int = 1000, neighbours: int = 0
) -> list[tuple[str, int | None, int | None]]:
    assembly = ContextAssembly(CHUNKS, budget=budget, neighbours=neighbours)
    return [(str(passage.chunk), passage.start, passage.end) for passage in assembly.assemble(hits)]


def names(hits: list[int], *, budget: int = 1000, neighbours: int = 0) -> list[str]:
    return [name for name, _, _ in assembled(hits, budget=budget, neighbours=neighbours)]


def test_hits_come_whole_and_in_rank_order() -> None:
    assert assembled([5, 2]) == [("b#0", 0, 10), ("a#2", 0, 10)]


def test_neighbours_follow_their_hit_nearest_first_and_stay_in_the_document() -> None:
    assert names([2, 5], neighbours=2) == ["a#2", "a#1", "a#3", "a#0", "a#4", "b#0"]
    assert names([0], neighbours=1) == ["a#0", "a#1"]


def test_no_chunk_comes_twice() -> None:
    assert names([1, 2], neighbours=1) == ["a#1", "a#0", "a#2", "a#3"]


def test_the_passage_that_exceeds_the_budget_is_cut_and_is_the_last() -> None:
    assert assembled([2, 5, 0], budget=13) == [("a#2", 0, 10), ("b#0", 0, 3)]
    assert assembled([2, 5, 0], budget=20) == [("a#2", 0, 10), ("b#0", 0, 10)]
    assert assembled([2], budget=0) == []


def test_lengths_are_code_points(tmp_path: Path) -> None:
    settings = EngineSettings(abstention=False, context_characters=6)
    response = answer(tmp_path, [document("a", "键盘😀保修", "另一段")], "键盘", settings=settings)
    assert response.context is not None
    assert [(passage.chunk, passage.start, passage.end) for passage in response.context] == [("a#0", 0, 5)]


def test_a_neighbour_that_the_principal_may_not_see_is_not_read(tmp_path: Path) -> None:
    settings = EngineSettings(abstention=False, neighbours=2)
    corpus = [
        document("open", "a lost key", "next page"),
        document("closed", "a lost key again", "secret page", access=Access(tenant="t1", allow=())),
    ]
    outsider, insider = answers(
        tmp_path, corpus, [request("lost key"), request("lost key", principal=principal("t1"))], settings=settings
    )
    assert outsider.context is not None
    assert insider.context is not None
    assert {str(passage.chunk) for passage in outsider.context} == {"open#0", "open#1"}
    assert {str(passage.chunk) for passage in insider.context} == {"open#0", "open#1", "closed#0", "closed#1"}


@given(st.lists(st.integers(0, 5), max_size=8), st.integers(0, 70), st.integers(0, 3))
def test_the_budget_is_never_exceeded_and_only_the_last_is_cut(
    hits: list[int], budget: int, neighbours: int
) -> None:
    passages = assembled(hits, budget=budget, neighbours=neighbours)
    lengths = [(end or 0) - (start or 0) for _, start, end in passages]
    used = 0
    for length in lengths:
        used += length
    assert used <= budget
    assert all(length == 10 for length in lengths[:-1])
    assert len({name for name, _, _ in passages}) == len(passages)
    assert set(names(hits)) <= set(names(hits, neighbours=neighbours))
