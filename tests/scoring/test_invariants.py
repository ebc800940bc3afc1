"""Rules that hold for any labels and any ranking."""

from __future__ import annotations

import math
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval_gate.scoring.metrics.table import FAMILIES, parse_metric
from tests.scoring.build import aggregate, graded, ranked, record, value

NAMES = [f"c{index}" for index in range(12)]
GRADES = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 3), min_size=1)
RANKINGS = st.lists(st.sampled_from(NAMES), max_size=20)
CUTOFFS = st.integers(1, 15)
RANK_METRICS = [family.id for family in FAMILIES if family.takes_cutoff]


@settings(deadline=None)
@given(GRADES, RANKINGS, CUTOFFS)
def test_every_rank_metric_is_between_zero_and_one(grades: dict[str, int], ranking: list[str], k: int) -> None:
    scored = ranked(graded("q", **grades), *ranking)
    for name in RANK_METRICS:
        found = value(f"{name}@{k}", scored)
        assert found is None or 0 <= found <= 1


@settings(deadline=None)
@given(GRADES, CUTOFFS)
def test_the_ideal_ranking_scores_one(grades: dict[str, int], k: int) -> None:
    ideal = sorted(grades, key=lambda name: -grades[name])
    scored = ranked(graded("q", **grades), *ideal)
    for name in ("hit", "mrr", "ndcg", "ndcg-linear", "precision"):
        assert value(f"{name}@{k}", scored) == 1
    assert value(f"recall@{len(ideal)}", scored) == 1


@settings(deadline=None)
@given(GRADES, RANKINGS, CUTOFFS)
def test_unjudged_hits_at_the_end_change_nothing_that_ignores_length(
    grades: dict[str, int], ranking: list[str], k: int
) -> None:
    short = ranked(graded("q", **grades), *ranking)
    long = ranked(graded("q", **grades), *ranking, "u1", "u2", "u3")
    for name in ("recall", "hit", "precision-fixed", "mrr", "ndcg", "ndcg-linear"):
        assert value(f"{name}@{k}", short) == value(f"{name}@{k}", long)


@settings(deadline=None)
@given(GRADES, RANKINGS, CUTOFFS)
def test_duplicates_never_change_a_value(grades: dict[str, int], ranking: list[str], k: int) -> None:
    once = ranked(graded("q", **grades), *dict.fromkeys(ranking))
    twice = ranked(graded("q", **grades), *ranking, *ranking)
    for name in RANK_METRICS:
        assert value(f"{name}@{k}", once) == value(f"{name}@{k}", twice)


@settings(deadline=None)
@given(st.sampled_from(NAMES), RANKINGS)
def test_with_one_relevant_unit_reciprocal_rank_is_average_precision(relevant: str, ranking: list[str]) -> None:
    """Case 4: precision at the rank of the only relevant unit."""
    scored = ranked(graded("q", **{relevant: 2}), *ranking)
    rank = scored.judged[0].rank
    average_precision = 0 if rank is None else value(f"precision-fixed@{rank}", scored)
    assert value("mrr@20", scored) == average_precision


@settings(deadline=None)
@given(GRADES, RANKINGS, CUTOFFS)
def test_a_larger_cut_off_never_finds_less(grades: dict[str, int], ranking: list[str], k: int) -> None:
    scored = ranked(graded("q", **grades), *ranking)
    for name in ("recall", "hit", "mrr"):
        smaller, larger = value(f"{name}@{k}", scored), value(f"{name}@{k + 1}", scored)
        assert smaller is not None
        assert larger is not None
        assert smaller <= larger


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=8), st.randoms())
def test_no_order_of_records_changes_an_aggregate(counts: list[tuple[int, int]], shuffled_by: Random) -> None:
    records = [
        record(f"q{index}", judged={"a": (1, rank or None)}, characters=(min(rank, size), size, size))
        for index, (rank, size) in enumerate(counts)
    ]
    shuffled = [*records]
    shuffled_by.shuffle(shuffled)
    for name in ("mrr@10", "recall@5", "context-precision", "context-recall-macro"):
        assert parse_metric(name).aggregate(records) == parse_metric(name).aggregate(shuffled)


@settings(deadline=None)
@given(st.lists(GRADES, min_size=1, max_size=5), RANKINGS)
def test_a_macro_average_is_the_exact_mean_of_the_queries_own_values(
    labels: list[dict[str, int]], ranking: list[str]
) -> None:
    records = [ranked(graded(f"q{index}", **grades), *ranking) for index, grades in enumerate(labels)]
    values = [value("ndcg@10", scored) for scored in records]
    mean = math.fsum(one for one in values if one is not None) / len(values)
    assert aggregate("ndcg@10", *records) == (mean, len(values))
