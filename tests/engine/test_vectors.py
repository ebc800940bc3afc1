from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.config import AliasTable
from retrieval_gate.engine.providers import (
    CONCEPT_WEIGHT,
    DIMENSIONS,
    LARGEST_COUNT,
    TOKEN_HASH,
    embed,
    providers,
)
from retrieval_gate.engine.ranking import score_of
from retrieval_gate.engine.vectors import Cosine, Vectors
from tests.engine.factories import ALIAS, alias_table, answer, document, ids


def test_every_product_of_two_vectors_is_exact_in_float32() -> None:
    assert DIMENSIONS * LARGEST_COUNT**2 < 2**24


def test_repetition_counts_less_and_less_and_is_clipped() -> None:
    def size(occurrences: int) -> int:
        return abs(next(iter(embed(["word"] * occurrences).values())))

    assert [size(count) for count in (1, 2, 3, 4, 9, 10_000)] == [2, 2, 3, 4, 6, LARGEST_COUNT]


def test_a_concept_outweighs_a_word() -> None:
    assert abs(next(iter(embed(["concept:c"]).values()))) == 2 * CONCEPT_WEIGHT


def test_cosine_by_hand() -> None:
    chunks = Vectors.of([{3: 2, 5: 1}, {3: -2}, {}, {5: 4}])
    (found,) = Cosine(chunks).rank(Vectors.of([{3: 2, 5: 1}]), 10)
    assert found.positions.tolist() == [0, 3]
    assert [score_of(score) for score in found.scores.tolist()] == pytest.approx(
        [1.0, 4 / (math.sqrt(5) * 4)], abs=1e-9
    )


def test_a_query_without_features_has_no_neighbours() -> None:
    (found,) = Cosine(Vectors.of([{3: 2}])).rank(Vectors.of([{}]), 10)
    assert found.positions.tolist() == []


@given(
    st.lists(
        st.dictionaries(st.integers(0, 40), st.integers(-LARGEST_COUNT, LARGEST_COUNT), max_size=12), max_size=6
    ),
    st.lists(
        st.dictionaries(st.integers(0, 40), st.integers(-LARGEST_COUNT, LARGEST_COUNT), max_size=12), max_size=4
    ),
)
def test_dot_products_are_those_of_whole_numbers(
    chunks: list[dict[int, int]], queries: list[dict[int, int]]
) -> None:
    left, right = Vectors.of(queries), Vectors.of(chunks)
    dots = left.dense(0, left.count) @ right.dense(0, right.count).T
    expected = [[sum_of_products(query, chunk) for chunk in chunks] for query in queries]
    assert dots.tolist() == np.array(expected, dtype=np.float64).reshape(len(queries), len(chunks)).tolist()


@given(
    st.lists(st.dictionaries(st.integers(0, 9), st.integers(-9, 9), max_size=5), min_size=9, max_size=12),
    st.lists(st.dictionaries(st.integers(0, 9), st.integers(-9, 9), max_size=5), max_size=6),
)
def test_many_questions_asked_together_are_ranked_as_each_alone(
    queries: list[dict[int, int]], chunks: list[dict[int, int]]
) -> None:
    cosine = Cosine(Vectors.of(chunks))
    together = list(cosine.rank(Vectors.of(queries), 4))
    alone = [ranking for query in queries for ranking in cosine.rank(Vectors.of([query]), 4)]
    for one, other in zip(together, alone, strict=True):
        assert one.positions.tolist() == other.positions.tolist()
        assert one.scores.tolist() == other.scores.tolist()


def sum_of_products(one: dict[int, int], other: dict[int, int]) -> int:
    total = 0
    for dimension, count in one.items():
        total += count * other.get(dimension, 0)
    return total


TABLE = alias_table(warranty=("warranty", "guarantee", "保修"), port=("USB-C", "接口"))


def features(text: str) -> list[str]:
    return providers(TABLE)[1].features(text)


def test_an_alias_is_replaced_by_its_concept() -> None:
    assert features("The warranty ends") == ["the", "concept:warranty", "ends"]
    assert features("Is USB-C meant?") == ["is", "concept:port", "meant", "meant*"]


def test_latin_aliases_match_whole_words_only() -> None:
    assert "concept:warranty" not in features("warrantyless guarantees")
    assert "concept:port" not in features("usb-cable xusb c")


def test_han_aliases_match_inside_a_run() -> None:
    assert features("产品保修期") == ["产", "产品", "品", "concept:warranty", "期"]


def test_adjacent_aliases_are_all_found() -> None:
    assert features("USB-C warranty") == ["concept:port", "concept:warranty"]
    assert features("usb-c接口保修") == ["concept:port", "concept:port", "concept:warranty"]


def test_the_longest_alias_wins_and_a_shared_alias_gives_every_concept() -> None:
    matched = providers(alias_table(a=("dog",), b=("dog house",), c=("dog",)))[1]
    assert matched.features("dog house") == ["concept:b"]
    assert matched.features("dog") == ["concept:a", "concept:c"]


def test_a_devanagari_alias_is_not_found_in_a_longer_word() -> None:
    matched = providers(alias_table(tax=("कर",)))[1]
    assert matched.features("कर") == ["concept:tax"]
    assert matched.features("करें") == ["करें"]


def test_a_question_meets_its_answer_in_another_language(tmp_path: Path) -> None:
    corpus = [document("en", "The guarantee lasts two years"), document("zh", "本店周一休息")]
    assert ids(answer(tmp_path, corpus, "保修多久", channels=ALIAS, aliases=TABLE)) == ["en#0"]
    assert ids(answer(tmp_path, corpus, "保修多久")) == []


def _fingerprints(table: AliasTable | None) -> dict[str, str]:
    return {provider.name: provider.fingerprint for provider in providers(table)}


def test_fingerprints_are_stable_move_with_the_table_and_tell_nothing_of_it() -> None:
    fingerprints = _fingerprints(TABLE)
    assert fingerprints == _fingerprints(TABLE)
    assert list(fingerprints) == ["token-hash", "regression-alias"]
    assert _fingerprints(None) == {TOKEN_HASH: fingerprints[TOKEN_HASH]}
    assert _fingerprints(alias_table(warranty=("warranty",))) != fingerprints
    assert "warranty" not in str(fingerprints)
    assert fingerprints["token-hash"] == (
        "token-hash:f002b9621fd685b399d755f835534cca1145f5e8200197b500b69a2abd91db4c"
    )
