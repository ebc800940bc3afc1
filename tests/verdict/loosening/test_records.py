"""Results are held against the base branch under its own labels and drops; new ones can hide nothing."""

from __future__ import annotations

from dataclasses import replace

from retrieval_gate.base.config import Allowance
from retrieval_gate.base.fixture import Query, Span, State
from retrieval_gate.base.ids import ChunkId
from tests.verdict.factories import missing, of_kind, query, record
from tests.verdict.loosening.world import (
    BASE,
    NONE,
    ONE,
    PRINCIPAL,
    TWO,
    Branch,
    branch,
    good,
    loosened,
    red,
    rules,
    verdicts,
    with_query,
    with_record,
)

LABELLED_TOO = query("q1", {"a": 3, "b": 2, "c": 1}).judgments
WORSE = "loosened-query-worse"


def _answer(asked: Query, a: int | None, b: int | None, c: int | None = None, **more: object) -> Branch:
    """The base branch with `asked` in the place of `q1`, and these ranks under hybrid."""
    now = with_query(ONE, asked)
    made = record(asked, {"a": a, "b": b, "c": c}, returned=3, state=State.ANSWERED, **more)  # type: ignore[arg-type]
    return with_record(made, now)


def test_a_forbidden_label_that_is_added_hides_no_lost_unit() -> None:
    (found,) = loosened(_answer(replace(ONE, forbidden=tuple(map(ChunkId, ("x", "x2", "x3")))), 1, None))

    assert (found.rule, found.query, found.units) == (WORSE, "q1", ("b",))


def test_a_judgment_that_is_added_hides_no_lost_unit() -> None:
    asked = replace(ONE, judgments=LABELLED_TOO)

    (found,) = loosened(_answer(asked, 1, None, 2))

    assert (found.rule, found.units, found.metric) == (WORSE, ("b",), "recall@10")
    assert (found.before, found.now) == (1.0, 0.5)


def test_a_judgment_that_is_added_and_not_found_makes_nothing_worse() -> None:
    """Recall under the new labels is 2/3; under those of the base branch it is 1, as before."""
    assert loosened(_answer(replace(ONE, judgments=LABELLED_TOO), 1, 2, None)) == ()


def test_a_raised_grade_hides_no_lost_rank() -> None:
    """With grades 3 and 3 both orders have the same nDCG; with the base branch's 3 and 2 they do not."""
    first, second = ONE.judgments
    asked = replace(ONE, judgments=(first, replace(second, relevance=3)))

    (found,) = loosened(_answer(asked, 2, 1))

    assert (found.rule, found.metric, found.units) == (WORSE, "ndcg@10", ("a",))


def test_a_span_that_is_added_hides_no_lost_span() -> None:
    first, second = ONE.judgments
    more = Span(chunk=ChunkId("a"), start=11, end=16, declared=True)
    asked = replace(ONE, judgments=(replace(first, spans=(more, *first.spans)), second))

    base = branch(ablations=("hybrid",))

    def context(*ordinals: int) -> Branch:
        return replace(_answer(asked, 1, 2, spans={"a": ordinals, "b": (0,)}), ablations=("hybrid",))

    assert loosened(context(1), base) == ()
    assert [(item.rule, item.units) for item in loosened(context(0), base)] == [(WORSE, ("a",))]


def test_a_principal_that_holds_less_hides_no_lost_unit() -> None:
    asked = replace(ONE, principal=PRINCIPAL.id)
    base = with_query(ONE, asked)
    less = replace(base.fixture, principals=(replace(PRINCIPAL, tenant=None),))
    worse = with_record(record(asked, {"a": 1}, returned=1, state=State.ANSWERED), replace(base, fixture=less))

    assert rules(loosened(replace(base, fixture=less), base)) == []
    assert [(item.rule, item.units) for item in loosened(worse, base)] == [(WORSE, ("b",))]


def test_another_question_is_told_as_such_and_its_results_are_not_compared() -> None:
    assert rules(loosened(_answer(replace(ONE, text="another text"), 1, None))) == ["loosened-query-edited"]


def test_one_of_two_spans_with_the_same_text_removed_is_told() -> None:
    first, second = ONE.judgments
    base = with_query(ONE, replace(ONE, judgments=(replace(first, spans=first.spans * 2), second)))

    assert rules(loosened(BASE, base)) == ["loosened-span-gone"]


def test_a_removed_judgment_is_told_once_and_not_as_a_lost_unit() -> None:
    asked = replace(ONE, judgments=ONE.judgments[:1])

    assert rules(loosened(_answer(asked, 1, None))) == ["loosened-judgment-gone"]


def test_the_drop_is_that_of_the_base_branch() -> None:
    """1 to 1/2 is a drop of 0.5: allowed there, it is no loosening; allowed only here, it is."""
    wide = (Allowance(metric=None, ablation=None, slice=None, max_drop=0.5),)
    slower = with_record(replace(good(TWO), judged=(replace(good(TWO).judged[0], rank=2),)))

    assert rules(loosened(replace(slower, allowances=wide), branch(allowances=wide))) == []
    assert WORSE in rules(loosened(replace(slower, allowances=wide)))


def test_a_metric_that_is_removed_is_still_computed_from_the_records() -> None:
    metrics = ("recall@10", "mrr@10", "context-recall", "no-answer-fpr")
    now = replace(with_record(record(ONE, {"a": 2, "b": 1}, returned=2, state=State.ANSWERED)), metrics=metrics)

    found = [(item.rule, item.metric) for item in loosened(now)]

    assert found == [("loosened-metric-gone", "ndcg@10"), (WORSE, "ndcg@10")]


def test_an_ablation_that_this_run_left_out_is_not_held_against_anything() -> None:
    now = branch(ablations=("hybrid",), not_run=("lexical",))

    assert loosened(now) == ()


def test_a_query_without_an_answer_fails_by_itself() -> None:
    found = verdicts(with_record(missing(ONE)))

    assert [item.query for item in of_kind(found, "query-missing")] == ["q1"]
    assert red(found) == []


def test_a_baseline_file_that_says_there_was_no_answer_is_worse() -> None:
    """Nothing but the file itself says so: the run has its answer."""
    found = verdicts(BASE, committed=with_record(missing(ONE)).baseline)

    assert {(item.kind, item.detail, item.query) for item in red(found)} == {
        ("loosened-baseline", WORSE, "q1"),
        ("loosened-baseline", "loosened-state-not-given", "q1"),
    }


def test_a_span_that_no_label_has_is_not_found() -> None:
    """Only a baseline file that was written by hand holds one."""
    judged = (replace(ONE.judgments[0], spans=ONE.judgments[0].spans * 2), ONE.judgments[1])
    now = _answer(replace(ONE, judgments=judged), 1, 2, spans={"a": (7,), "b": (0,)})

    assert [(item.rule, item.units) for item in loosened(now) if item.ablation == "hybrid"] == [(WORSE, ("a",))]


def test_what_fails_against_the_committed_baseline_is_not_told_twice() -> None:
    now = with_record(record(ONE, {"a": 1}, returned=1, state=State.ANSWERED))

    found = verdicts(now, committed=BASE.baseline)

    assert [item.query for item in of_kind(found, "relevant-left-cut-off")] == ["q1"]
    assert red(found) == []
    assert [item.kind for item in red(verdicts(now))] == [WORSE]


def test_of_two_losses_the_one_that_was_accepted_is_told() -> None:
    accepted = with_record(record(ONE, {"a": 1}, returned=1, state=State.ANSWERED))
    now = with_record(record(NONE, returned=2), accepted)

    found = verdicts(now, committed=accepted.baseline)

    assert [item.query for item in of_kind(found, "false-positive")] == ["q3"]
    assert [(item.kind, item.query) for item in red(found)] == [(WORSE, "q1")]


def test_two_different_losses_of_one_query_need_two_approvals() -> None:
    one = loosened(with_record(record(ONE, {"a": 1, "b": 11}, state=State.ANSWERED)))
    other = loosened(with_record(record(ONE, {"a": 1, "b": 12}, state=State.ANSWERED)))

    assert rules(one) == rules(other) == [WORSE]
    assert one != other


def test_better_results_are_no_loosening() -> None:
    base = with_record(record(ONE, {"a": 3, "b": 9}, returned=9, state=State.ANSWERED, spans={"a": ()}))

    assert loosened(BASE, base) == ()
    assert rules(loosened(base)) == [WORSE]
