"""Gates are on development queries; a held-out query can fail one only where a gate names its slice."""

from __future__ import annotations

from collections.abc import Iterable

from retrieval_gate.base.config import GateKind
from retrieval_gate.base.fixture import Split
from retrieval_gate.base.record import QueryRecord
from tests.verdict.factories import baseline, config, evaluation, failed, gate, judged, kinds, plan, query, record

DEV = query("q1", {"a": 3})
HIDDEN = query("q9", {"b": 3}, split=Split.HELDOUT, tags=("rare",))
PLAN = plan(DEV, HIDDEN)


def records(hidden: int | None) -> Iterable[QueryRecord]:
    """The development query found first, the held-out one at its rank."""
    return (record(DEV, {"a": 1}), record(HIDDEN, {"b": hidden}))


def test_all_and_language_are_of_development_queries_and_held_out_ones_have_a_slice_apart() -> None:
    rows = {row.slice: row for row in evaluation(PLAN, records(2)).scores.rows if row.metric == "mrr@10"}
    assert {name: (row.value, row.n) for name, row in rows.items()} == {
        "all": (1.0, 1),
        "language=en": (1.0, 1),
        "split=dev": (1.0, 1),
        "split=heldout": (0.5, 1),
    }


def test_without_held_out_queries_all_is_every_query() -> None:
    of = plan(DEV, query("q2", {"b": 3}))
    seen = evaluation(of, [record(DEV, {"a": 1}), record(of.fixture.queries[1], {"b": 2})])
    assert [(row.value, row.n) for row in seen.scores.rows if (row.slice, row.metric) == ("all", "mrr@10")] == [
        (0.75, 2)
    ]


def test_a_floor_on_all_does_not_see_a_held_out_loss_and_one_on_its_slice_does() -> None:
    whole = config(PLAN, gates=(gate(GateKind.FLOOR, "mrr@10", 0.9),))
    apart = config(PLAN, gates=(gate(GateKind.FLOOR, "mrr@10", 0.9, group="split=heldout"),))
    assert failed(judged(PLAN, records(None), settings=whole)) == []
    verdict, *rest = failed(judged(PLAN, records(5), settings=apart))
    assert (verdict.kind, verdict.slice, verdict.query, rest) == ("floor", "split=heldout", None, [])
    assert failed(judged(PLAN, records(1), settings=apart)) == []


def test_a_held_out_query_that_got_worse_fails_neither_no_drop_nor_its_own_gate() -> None:
    before = baseline(PLAN, records(1))
    assert failed(judged(PLAN, records(None), before)) == []
    worse = (record(DEV, {"a": 5}), record(HIDDEN, {"b": 1}))
    assert "no-drop" in kinds(failed(judged(PLAN, worse, before)))


def test_the_baseline_holds_held_out_queries_as_aggregates_only() -> None:
    made = baseline(PLAN, records(2))
    assert [item.query for item in made.records] == ["q1"]
    assert [(row.value, row.n) for row in made.rows if (row.slice, row.metric) == ("split=heldout", "mrr@10")] == [
        (0.5, 1)
    ]
