from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.canonical import rounded
from retrieval_gate.engine.fusion import fuse
from retrieval_gate.engine.ranking import Ranking, best, quantised, score_of


def ranking(positions: list[int], scores: list[float] | None = None) -> Ranking:
    values = scores or [1.0] * len(positions)
    return Ranking(positions=np.array(positions, dtype=np.int64), scores=quantised(np.array(values)))


def test_fusion_by_hand() -> None:
    fused = fuse([ranking([1, 2, 3]), ranking([3, 1])], [1.0, 2.0], 60)
    assert fused.positions.tolist() == [3, 1, 2]
    assert [score_of(score) for score in fused.scores.tolist()] == pytest.approx(
        [1 / 63 + 2 / 61, 1 / 61 + 2 / 62, 1 / 62], abs=1e-9
    )


def test_equal_fused_scores_are_ordered_by_chunk_number() -> None:
    assert fuse([ranking([7, 4]), ranking([4, 7])], [1.0, 1.0], 60).positions.tolist() == [4, 7]


def test_weak_candidates_have_no_vote_in_fusion() -> None:
    strong = ranking([1], [9.0])
    assert fuse([strong, ranking([2, 3], [10.0, 2.99])], [1.0, 1.0], 60).positions.tolist() == [1, 2]
    assert fuse([strong, ranking([2, 3], [10.0, 3.0])], [1.0, 1.0], 60).positions.tolist() == [1, 2, 3]


def test_fusion_of_nothing_is_nothing() -> None:
    assert fuse([ranking([]), ranking([])], [1.0, 1.0], 60).positions.tolist() == []


def test_the_best_of_many_ties_are_the_first_numbers() -> None:
    assert best(quantised(np.array([0.5, 1.0, 0.5, 0.5, 1.0])), 3).positions.tolist() == [1, 4, 0]


def test_zero_and_negative_scores_are_no_candidates() -> None:
    assert best(quantised(np.array([0.0, -1.0, 4e-10, 1e-9])), 10).positions.tolist() == [3]


def test_a_difference_below_the_rounding_is_a_tie() -> None:
    assert best(quantised(np.array([0.3, 0.3 + 1e-12])), 2).positions.tolist() == [0, 1]


@given(st.lists(st.integers(min_value=-3, max_value=3), max_size=12), st.integers(min_value=1, max_value=14))
def test_best_is_a_full_sort_cut_off(values: list[int], depth: int) -> None:
    expected = sorted(
        (position for position, value in enumerate(values) if value > 0), key=lambda p: (-values[p], p)
    )
    assert best(np.array(values, dtype=np.int64), depth).positions.tolist() == expected[:depth]


@given(st.floats(min_value=-1000, max_value=1000))
def test_a_reported_score_is_already_rounded(value: float) -> None:
    reported = score_of(int(quantised(np.array([value]))[0]))
    assert rounded(reported) == reported
    assert reported == pytest.approx(value, abs=6e-10)
