from __future__ import annotations

from dataclasses import replace

from retrieval_gate.base.fixture import Query, Split
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.verdict.baseline import Baseline
from retrieval_gate.verdict.comparison import Comparison, comparable, compare
from tests.verdict.factories import METRICS, baseline, document, evaluation, fixture, plan, query, record

ONE = query("q1", {"a": 3})
TWO = query("q2", {"b": 3})
NONE = query("q3")


def _records(of: Plan, rank: int = 1) -> list[QueryRecord]:
    return [
        record(asked, {judgment.unit: rank for judgment in asked.judgments}, ablation=spec.id)
        for spec in of.ablations
        for asked in of.fixture.queries
    ]


def _accepted(
    *queries: Query, ablations: tuple[str, ...] = ("hybrid",), metrics: tuple[str, ...] = METRICS
) -> Baseline:
    of = plan(*queries, ablations=ablations, metrics=metrics)
    return baseline(of, _records(of))


def _compared(of: Plan, against: Baseline, rank: int = 1) -> Comparison:
    return compare(of, evaluation(of, _records(of, rank)), against)


def test_the_same_evaluation_shares_every_query_and_nothing_moves() -> None:
    comparison = _compared(plan(ONE, TWO, NONE), _accepted(ONE, TWO, NONE))

    assert comparison.shared == ("q1", "q2", "q3")
    assert (comparison.added, comparison.removed, comparison.edited, comparison.moved) == ((), (), (), ())
    assert comparison.changed_parts == ()
    assert all(pair.before == pair.now for pair in comparison.rows)


def test_queries_are_joined_by_id_not_by_place() -> None:
    comparison = _compared(plan(NONE, TWO, ONE), _accepted(ONE, TWO, NONE))

    assert comparison.shared == ("q3", "q2", "q1")
    assert comparison.moved == ()


def test_added_removed_and_edited_queries_are_named() -> None:
    edited = query("q2", {"b": 2})

    comparison = _compared(plan(ONE, edited, query("q4", {"d": 1})), _accepted(ONE, TWO, NONE))

    assert comparison.shared == ("q1",)
    assert comparison.edited == ("q2",)
    assert comparison.removed == ("q3",)
    assert comparison.added == ("q4",)


def test_both_sides_are_averaged_over_the_shared_queries_only() -> None:
    """q2 is edited: the baseline's 1/1 of q1 alone stands against this run's 1/2 of q1 alone."""
    of = plan(ONE, query("q2", {"b": 2}))
    seen = evaluation(of, [record(ONE, {"a": 2}), record(of.fixture.queries[1], {"b": 1})])
    pairs = compare(of, seen, _accepted(ONE, TWO)).rows

    (pair,) = [pair for pair in pairs if (pair.now.slice, pair.now.metric) == ("all", "mrr@10")]

    assert (pair.before.value, pair.before.n) == (1.0, 1)
    assert (pair.now.value, pair.now.n) == (0.5, 1)


def test_a_metric_that_the_baseline_lacks_is_computed_from_its_records() -> None:
    of = plan(ONE, TWO, metrics=("hit@1",))

    pairs = _compared(of, _accepted(ONE, TWO, metrics=("mrr@10",)), rank=2).rows

    assert [(pair.now.metric, pair.before.value, pair.now.value) for pair in pairs if pair.now.slice == "all"] == [
        ("hit@1", 1.0, 0.0)
    ]


def test_ablations_metrics_and_slices_that_are_gone_are_named() -> None:
    before = _accepted(
        ONE, query("q2", {"b": 3}, tags=("hard",)), ablations=("old", "hybrid"), metrics=("mrr@10",)
    )

    comparison = _compared(plan(ONE, ablations=("hybrid", "new"), metrics=("hit@2",)), before)

    assert comparison.ablations == ("hybrid",)
    assert comparison.ablations_added == ("new",)
    assert comparison.ablations_removed == ("old",)
    assert comparison.metrics_removed == ("mrr@10",)
    assert comparison.slices_removed == ("tag=hard",)


def test_nothing_is_comparable_with_other_queries_or_other_ablations() -> None:
    other_queries = _compared(plan(query("p1", {"a": 3})), _accepted(ONE))
    other_ablations = _compared(plan(ONE, ablations=("new",)), _accepted(ONE))

    assert not comparable(other_queries)
    assert not comparable(other_ablations)
    assert other_queries.rows == other_ablations.rows == ()
    assert comparable(_compared(plan(ONE), _accepted(ONE)))


def test_a_renamed_fixture_with_the_same_queries_is_compared() -> None:
    renamed = plan(of=fixture(ONE, TWO, name="other", version=7))

    assert _compared(renamed, _accepted(ONE, TWO)).shared == ("q1", "q2")


def test_only_the_part_of_the_system_that_changed_is_named() -> None:
    corpus = plan(of=replace(fixture(ONE), documents=(document("doc", "other text"),)))
    settings = plan(ONE)
    settings = replace(settings, engine=replace(settings.engine, rrf_k=61))

    assert _compared(corpus, _accepted(ONE)).changed_parts == ("corpus",)
    assert _compared(settings, _accepted(ONE)).changed_parts == ("settings",)


def test_held_out_queries_are_compared_as_one() -> None:
    hidden = query("q9", {"d": 3}, split=Split.HELDOUT)
    before = _accepted(ONE, hidden)

    same = _compared(plan(ONE, hidden), before)
    other = _compared(plan(ONE, query("q9", {"d": 2}, split=Split.HELDOUT)), before)

    assert (same.shared, same.added, same.held_out_changed) == (("q1",), (), False)
    assert (other.shared, other.edited, other.held_out_changed) == (("q1",), (), True)


def test_held_out_records_do_not_enter_the_values_that_are_compared() -> None:
    hidden = query("q9", {"d": 3}, split=Split.HELDOUT)
    of = plan(ONE, hidden)
    before = baseline(of, [record(ONE, {"a": 1}), record(hidden, {"d": 1})])

    comparison = compare(of, evaluation(of, [record(ONE, {"a": 1}), record(hidden, {})]), before)

    assert all(pair.before == pair.now for pair in comparison.rows)


def test_a_query_moved_to_held_out_is_edited_not_lost() -> None:
    comparison = _compared(plan(TWO, query("q1", {"a": 3}, split=Split.HELDOUT)), _accepted(ONE, TWO))

    assert comparison.edited == ("q1",)
    assert comparison.held_out_changed


def test_a_record_that_differs_in_anything_is_kept_as_a_pair() -> None:
    of = plan(ONE, TWO)
    seen = evaluation(of, [record(ONE, {"a": 1}, order="f"), record(TWO, {"b": 1})])

    moved = compare(of, seen, _accepted(ONE, TWO)).moved

    assert [(pair.now.query, pair.before.ranking_digest[0], pair.now.ranking_digest[0]) for pair in moved] == [
        ("q1", "0", "f")
    ]
