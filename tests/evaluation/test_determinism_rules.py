"""Rules of comparing two runs that hold for any pair of observations."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from retrieval_gate.base.fixture import State
from retrieval_gate.base.record import Observation
from retrieval_gate.evaluation.determinism import difference
from tests.evaluation.seen import Scored, seen
from tests.scoring.build import record

# Few ids and scores around the tolerance, so that ties, noise, duplicates and real moves all come up.
SCORES = st.none() | st.sampled_from([0.0, 4e-7, 8e-7, 1.2e-6, 0.5])
HITS = st.lists(st.tuples(st.sampled_from("abc"), SCORES), max_size=4)


def _observation(
    hits: list[Scored], state: State | None, rank: int | None, missing: bool, context: str
) -> Observation:
    made = record(judged={"a": (3, rank)}, state=state, returned=len(hits))
    return seen(*hits, of=replace(made, missing=missing), context=context)


OBSERVATIONS = st.builds(
    _observation,
    HITS,
    st.none() | st.sampled_from(State),
    st.sampled_from([1, 2, None]),
    st.booleans(),
    st.sampled_from(["1", "2"]),
)


def _is_red(first: Observation, second: Observation) -> bool:
    found = difference(first, second)
    return found is not None and not found.tolerated


@given(OBSERVATIONS)
def test_an_observation_never_differs_from_itself(one: Observation) -> None:
    assert difference(one, replace(one, latency_ns=one.latency_ns + 1)) is None


@given(OBSERVATIONS, OBSERVATIONS)
def test_red_and_green_do_not_depend_on_which_run_was_first(one: Observation, other: Observation) -> None:
    assert _is_red(one, other) == _is_red(other, one)


@given(HITS, HITS)
def test_the_same_holds_where_only_the_hits_differ(one: list[Scored], other: list[Scored]) -> None:
    same = record(returned=len(one))
    first, second = seen(*one, of=same), seen(*other, of=same)

    assert _is_red(first, second) == _is_red(second, first)


@given(st.data(), HITS)
def test_the_same_hits_in_any_other_order_are_never_without_a_difference(
    data: st.DataObject, hits: list[Scored]
) -> None:
    shuffled = data.draw(st.permutations(hits))
    assume([chunk for chunk, _ in shuffled] != [chunk for chunk, _ in hits])

    assert difference(seen(*hits), seen(*shuffled)) is not None


@given(st.data(), st.sets(st.sampled_from("abcdef"), min_size=2))
def test_another_order_of_equal_scores_is_always_red(data: st.DataObject, chunks: set[str]) -> None:
    ids = sorted(chunks)
    shuffled = data.draw(st.permutations(ids))
    assume(shuffled != ids)

    assert _is_red(seen(*((chunk, 0.5) for chunk in ids)), seen(*((chunk, 0.5) for chunk in shuffled)))


@given(st.data(), st.lists(st.sampled_from([0, 1, 2, 3, 4, 5]), min_size=2, max_size=6, unique=True))
def test_noise_below_the_tolerance_alone_is_never_red(data: st.DataObject, steps: list[int]) -> None:
    """Every score is another one, and each run ranks by its own: all that moved is which noise was larger."""
    noise = {f"{step}": step * 1e-7 for step in steps}
    other = dict(zip(noise, data.draw(st.permutations(list(noise.values()))), strict=True))

    assert not _is_red(_ranked(noise), _ranked(other))


def _ranked(scores: dict[str, float]) -> Observation:
    return seen(*sorted(scores.items(), key=lambda item: -item[1]))
