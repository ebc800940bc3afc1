"""Two views of one query: what is red, with which cause and rank, and the twin that must not be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval_gate.base.difference import Cause, Difference
from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.record import Observation, Shown, Where
from retrieval_gate.evaluation.determinism import SCORE_TOLERANCE, difference
from tests.evaluation.seen import seen, unscored
from tests.scoring.build import record

PLAIN = seen(("a", 0.9), ("b", 0.5), ("c", 0.1))
# Less than the tolerance, and small enough that two of them are within it too.
NOISE = 4e-7


def _judged(rank: int) -> Observation:
    """The same hits, of which one is judged."""
    return replace(PLAIN, record=record(judged={"a": (3, rank)}))


RED = {
    "a query with no answer in run 2": (
        PLAIN,
        replace(PLAIN, record=replace(PLAIN.record, missing=True)),
        (None, Cause.MISSING),
    ),
    "another state": (
        PLAIN,
        replace(PLAIN, record=replace(PLAIN.record, state=State.ABSTAINED)),
        (None, Cause.STATE),
    ),
    "an answer and an abstention": (
        seen(("a", 0.9), of=record(state=State.ANSWERED)),
        seen(of=record(state=State.ABSTAINED)),
        (None, Cause.STATE),
    ),
    "other evidence": (
        replace(PLAIN, evidence=0.4, threshold=0.3),
        replace(PLAIN, evidence=0.41, threshold=0.3),
        (None, Cause.EVIDENCE),
    ),
    "another threshold": (
        replace(PLAIN, evidence=0.4, threshold=0.3),
        replace(PLAIN, evidence=0.4),
        (None, Cause.EVIDENCE),
    ),
    "another hit at rank 2": (PLAIN, seen(("a", 0.9), ("x", 0.5), ("c", 0.1)), (2, Cause.HITS)),
    "one hit less": (PLAIN, seen(("a", 0.9), ("b", 0.5)), (3, Cause.HITS)),
    "nothing at all in run 2": (PLAIN, seen(), (1, Cause.HITS)),
    "a duplicate in run 2": (PLAIN, seen(("a", 0.9), ("b", 0.5), ("b", 0.5), ("c", 0.1)), (3, Cause.HITS)),
    "another hit twice": (
        seen(("a", 0.9), ("a", 0.9), ("b", 0.5)),
        seen(("a", 0.9), ("b", 0.5), ("b", 0.5)),
        (2, Cause.HITS),
    ),
    "two hits swapped that lie far apart": (
        PLAIN,
        seen(("a", 0.9), ("c", 0.5), ("b", 0.1)),
        (2, Cause.ORDER),
    ),
    "two hits swapped that kept their scores": (
        PLAIN,
        seen(("a", 0.9), ("c", 0.1), ("b", 0.5)),
        (2, Cause.ORDER),
    ),
    "the order of hits without scores": (unscored("abc"), unscored("bac"), (1, Cause.ORDER)),
    "a score apart": (PLAIN, seen(("a", 0.9), ("b", 0.5 + 2e-6), ("c", 0.1)), (2, Cause.SCORE)),
    "a score that run 2 does not give": (PLAIN, seen(("a", 0.9), ("b", None), ("c", 0.1)), (2, Cause.SCORE)),
    "another context": (
        replace(PLAIN, context_digest="1"),
        replace(PLAIN, context_digest="2"),
        (None, Cause.CONTEXT),
    ),
    "a context in one run only": (PLAIN, replace(PLAIN, context_digest="2"), (None, Cause.CONTEXT)),
    "other ranks of judged documents under the same hits": (_judged(1), _judged(2), (None, Cause.RECORD)),
    "another trail under the same hits": (
        PLAIN,
        replace(PLAIN, record=replace(PLAIN.record, stages=("rerank",))),
        (None, Cause.RECORD),
    ),
    "a leak in one run only": (
        PLAIN,
        replace(PLAIN, record=replace(PLAIN.record, leaks=(Shown(ChunkId("a"), Where.HITS),))),
        (None, Cause.RECORD),
    ),
}


@pytest.mark.parametrize(("first", "second", "expected"), RED.values(), ids=RED.keys())
def test_a_difference_is_red_with_its_rank_and_cause(
    first: Observation, second: Observation, expected: tuple[int | None, Cause]
) -> None:
    rank, cause = expected

    assert difference(first, second) == Difference(
        ablation=first.record.ablation, query=first.record.query, rank=rank, cause=cause, tolerated=False
    )


GREEN = {
    "the same": (PLAIN, PLAIN),
    "another latency": (PLAIN, replace(PLAIN, latency_ns=10**9)),
    "noise in a score": (PLAIN, seen(("a", 0.9 + NOISE), ("b", 0.5 - NOISE), ("c", 0.1))),
    "the same without scores": (unscored("abc"), unscored("abc")),
    "nothing found twice": (seen(), seen()),
    "missing twice": (seen(of=replace(record(), missing=True)), seen(of=replace(record(), missing=True))),
    "equal scores in the same order": (seen(("a", 0.5), ("b", 0.5)), seen(("a", 0.5), ("b", 0.5))),
}


@pytest.mark.parametrize(("first", "second"), GREEN.values(), ids=GREEN.keys())
def test_no_difference(first: Observation, second: Observation) -> None:
    assert difference(first, second) is None
    assert difference(second, first) is None


def test_a_swap_of_equal_scores_is_red_because_the_next_process_may_serve_either() -> None:
    found = difference(
        seen(("a", 0.9), ("b", 0.5), ("c", 0.5)),
        seen(("a", 0.9), ("c", 0.5), ("b", 0.5)),
    )

    assert found is not None
    assert (found.rank, found.cause, found.tolerated) == (2, Cause.TIE_ORDER, False)


def test_a_swap_of_scores_within_the_tolerance_but_not_equal_is_noise() -> None:
    found = difference(
        seen(("a", 0.9), ("b", 0.5 + NOISE), ("c", 0.5)),
        seen(("a", 0.9), ("c", 0.5 + NOISE), ("b", 0.5)),
    )

    assert found is not None
    assert (found.rank, found.cause, found.tolerated) == (2, Cause.TIE_ORDER, True)


def test_a_tie_in_one_run_that_the_other_run_breaks_by_noise_is_noise() -> None:
    found = difference(seen(("a", 0.5), ("b", 0.5)), seen(("b", 0.5 + NOISE), ("a", 0.5)))

    assert found is not None
    assert found.tolerated


def test_a_tie_hidden_behind_noise_is_red_and_named_at_its_own_rank() -> None:
    found = difference(
        seen(("a", 0.5 + NOISE), ("b", 0.5), ("c", 0.1), ("d", 0.1)),
        seen(("b", 0.5 + NOISE), ("a", 0.5), ("d", 0.1), ("c", 0.1)),
    )

    assert found is not None
    assert (found.rank, found.cause, found.tolerated) == (3, Cause.TIE_ORDER, False)


def test_tied_hits_that_changed_places_around_a_third_are_red() -> None:
    """Run 2 has `c` on top, so that at no rank two tied hits stand in each other's place."""
    found = difference(
        seen(("a", 0.5), ("b", 0.5), ("c", 0.5 - NOISE)),
        seen(("c", 0.5 + NOISE), ("b", 0.5), ("a", 0.5)),
    )

    assert found is not None
    assert (found.rank, found.cause, found.tolerated) == (1, Cause.TIE_ORDER, False)


SWAPPED = seen(("b", 0.5 + NOISE), ("a", 0.5))
UNSWAPPED = seen(("a", 0.5 + NOISE), ("b", 0.5))
MOVED = {
    "the context": replace(SWAPPED, context_digest="2"),
    "a judged rank": replace(SWAPPED, record=replace(SWAPPED.record, judged=record(judged={"a": (3, 2)}).judged)),
    "a count": replace(SWAPPED, record=replace(SWAPPED.record, unlocatable=1)),
    "a leak": replace(SWAPPED, record=replace(SWAPPED.record, checked_forbidden=1)),
}


@pytest.mark.parametrize("second", MOVED.values(), ids=MOVED.keys())
def test_a_swap_within_the_tolerance_is_red_where_anything_else_moved(second: Observation) -> None:
    noise, found = difference(UNSWAPPED, SWAPPED), difference(UNSWAPPED, second)

    assert noise is not None
    assert noise.tolerated
    assert found is not None
    assert (found.rank, found.cause, found.tolerated) == (1, Cause.ORDER, False)


def test_a_swap_within_the_tolerance_is_red_where_another_score_moved() -> None:
    found = difference(
        seen(("a", 0.5 + NOISE), ("b", 0.5), ("c", 0.1)),
        seen(("b", 0.5 + NOISE), ("a", 0.5), ("c", 0.2)),
    )

    assert found is not None
    assert (found.rank, found.cause, found.tolerated) == (1, Cause.ORDER, False)


@pytest.mark.parametrize(("apart", "cause"), [(0.5e-6, None), (2e-6, Cause.SCORE)])
def test_the_tolerance_of_a_score_is_a_millionth(apart: float, cause: Cause | None) -> None:
    found = difference(seen(("a", 0.0)), seen(("a", apart)))

    assert SCORE_TOLERANCE == 1e-6
    assert (found and found.cause) is cause


def test_the_state_is_named_before_the_hits_that_it_explains() -> None:
    found = difference(
        seen(("a", 0.9), of=record(state=State.ANSWERED)), seen(of=record(state=State.ABSTAINED, returned=0))
    )

    assert found is not None
    assert found.cause is Cause.STATE


def test_every_cause_is_reached() -> None:
    reached = {expected[1] for _, _, expected in RED.values()} | {Cause.TIE_ORDER}

    assert reached == set(Cause)
