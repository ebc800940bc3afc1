"""What is said of supplied traces: the whole texts as golden files, and what must or must not stand in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no stubs

from retrieval_gate.base.errors import InternalError
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.ids import ChunkId, QueryId, UnitId
from retrieval_gate.base.trace import Trace
from retrieval_gate.inputs.traces import LoadedTraces, Source, load_lesson, load_traces
from retrieval_gate.report.outputs.style import PLAIN, Style
from retrieval_gate.report.report import Retrieval
from retrieval_gate.report.traces.build import score
from retrieval_gate.report.traces.compare import compare
from retrieval_gate.report.traces.demo import LESSON_K, LESSONS, render_demo, repaired
from retrieval_gate.report.traces.outputs import TRACE_OUTPUTS, TraceOutput
from retrieval_gate.report.traces.report import (
    TraceComparison,
    TraceReport,
    comparison_exit_code,
    exit_code,
    failures,
)
from retrieval_gate.report.traces.schema import comparison_schema_text, report_schema_text
from retrieval_gate.report.traces.view import report_view
from retrieval_gate.verdict.kinds import kind_of
from retrieval_gate.verdict.trace_kinds import TRACE_KINDS

LESSON = load_lesson()
REPORT = score(LESSON, LESSON_K)
REPAIR = compare(LESSON, repaired(LESSON, QueryId("R2")), LESSON_K)
TEXT, JSON = TRACE_OUTPUTS
Golden = Callable[[str, str], None]


def _traces(*records: object) -> LoadedTraces:
    return load_traces(Source(json.dumps(records).encode(), "t.json"))


def _changed(loaded: LoadedTraces, name: str, change: Callable[[Trace], Trace]) -> LoadedTraces:
    traces = tuple(change(trace) if trace.id == name else trace for trace in loaded.traces.traces)
    return replace(loaded, traces=replace(loaded.traces, traces=traces))


def _without(loaded: LoadedTraces, name: str) -> LoadedTraces:
    kept = tuple(trace for trace in loaded.traces.traces if trace.id != name)
    return replace(loaded, traces=replace(loaded.traces, traces=kept))


# --- score


@pytest.mark.parametrize("output", TRACE_OUTPUTS, ids=lambda output: output.id)
def test_the_scored_lesson_is_as_reviewed(golden: Golden, output: TraceOutput) -> None:
    golden(f"traces-score.{'txt' if output.id == 'text' else output.id}", output.score(REPORT, PLAIN))


def test_the_lesson_fails_with_five_different_first_actions() -> None:
    assert exit_code(REPORT) is ExitCode.GATE_FAILED
    text = TEXT.score(REPORT, PLAIN)
    actions = {kind_of(verdict.kind).action for verdict in failures(REPORT)}
    assert len(actions) == 5
    assert text.count("    first: ") == 5
    assert {verdict["firstAction"] for verdict in json.loads(JSON.score(REPORT, PLAIN))["verdicts"]} == actions


def test_each_failure_stands_at_the_line_of_its_trace() -> None:
    assert [(name, place.line) for name, place in REPORT.places] == [
        ("R1", 10),
        ("R2", 20),
        ("R3", 30),
        ("R4", 40),
        ("R5", 50),
    ]


def test_a_report_says_what_was_checked_and_what_nobody_checked() -> None:
    assert REPORT.retrieval is Retrieval.TRACE
    text = TEXT.score(REPORT, PLAIN)
    assert "supplied trace: 5 traces scored against labels; no retrieval was run" in text
    assert "not checked: real retrieval, claim support, production authorisation" in text
    scope = json.loads(JSON.score(REPORT, PLAIN))["scope"]
    assert scope == {"retrieval": "supplied-trace", "notChecked": ["claim-support", "production-authorisation"]}


def test_labels_without_a_run_are_neither_trace_nor_retrieval() -> None:
    run = Source(b'[{"id": "other", "hits": ["x"]}]', "r")
    labels = Source(b'[{"id": "a", "relevant": ["x"]}]', "j")
    report = score(load_traces(run, labels), 2)
    assert report.retrieval is Retrieval.NEITHER
    text = TEXT.score(report, PLAIN)
    assert text.startswith("FAILED: 2 of 2 traces fail (exit code 1)")
    assert "trace-missing: trace a\n    labelled trace that the run does not hold\n    at j:1" in text
    assert "trace-unlabelled: trace other\n    trace without labels\n    at r:1" in text
    assert "neither: the run holds none of these traces" in text
    assert "1 supplied trace, k = 2, and 1 without labels" in text
    assert json.loads(JSON.score(report, PLAIN))["traces"]["unjudged"] == ["other"]
    assert exit_code(report) is ExitCode.GATE_FAILED


def test_one_lost_label_is_a_failure_and_no_smaller_mean() -> None:
    run = Source(b'[{"id": "a", "hits": ["x"]}, {"id": "b", "hits": []}]', "r")
    record = {"relevant": ["x"], "expected": "ANSWERED"}
    both, one = (
        score(load_traces(run, Source(json.dumps([{"id": name, **record} for name in names]).encode(), "j")), 2)
        for names in ("ab", "a")
    )
    assert [(item.kind, item.query) for item in failures(both)] == [("no-evidence", "b")]
    assert [(item.kind, item.query) for item in failures(one)] == [("trace-unlabelled", "b")]
    assert TEXT.score(one, PLAIN).startswith("FAILED: 1 of 2 traces fails (exit code 1)")


@pytest.mark.parametrize("relevant", [["x"], []], ids=["a metric", "no metric"])
def test_where_nothing_was_checked_it_is_never_green_and_says_what_a_check_needs(relevant: list[str]) -> None:
    report = score(_traces({"id": "a", "relevant": relevant, "hits": ["y"]}), 2)
    assert exit_code(report) is ExitCode.NOTHING_COMPARABLE
    text = TEXT.score(report, PLAIN)
    assert " ".join(text.split()).startswith(
        "FAILED: nothing was checked: a check needs forbidden, stale, expected with observed, or relevant"
    )
    for check in ("permission", "freshness", "state", "evidence"):
        assert f"{check}: not checked, n = 0" in text
    assert all(check["needs"] for check in json.loads(JSON.score(report, PLAIN))["checks"])


def test_a_pass_names_what_it_does_not_cover() -> None:
    some = {"relevant": ["x"], "forbidden": ["y"], "hits": ["x"], "expected": "ANSWERED"}
    bare = {"id": "b", "relevant": ["x"], "hits": ["z"]}
    text = TEXT.score(score(_traces({"id": "a", **some}), 2), PLAIN)
    assert text.startswith("PASSED: permission, evidence; not checked: freshness, state (exit code 0)")
    text = TEXT.score(score(_traces({"id": "a", **some}, bare), 2), PLAIN)
    assert "state; nothing checked of\n   1 trace (exit code 0)" in text
    assert "   nothing checked: b" in text.splitlines()
    every = {"id": "a", **some, "stale": ["z"], "observed": "ANSWERED"}
    assert TEXT.score(score(_traces(every), 2), PLAIN).startswith("PASSED: every gate passed (exit code 0)")


def test_one_wrong_state_blocks_among_a_hundred_perfect_traces() -> None:
    good = {"relevant": ["x"], "hits": ["x"], "expected": "ANSWERED", "observed": "ANSWERED"}
    many = [{"id": f"t-{number}", **good} for number in range(100)]
    assert exit_code(score(_traces(*many), 2)) is ExitCode.PASS
    report = score(_traces(*many, {"id": "bad", **good, "observed": "ABSTAINED"}), 2)
    assert exit_code(report) is ExitCode.GATE_FAILED
    text = TEXT.score(report, PLAIN)
    assert "recall@2 1.0000 (n = 101)" in text
    assert "state: 1 trace failed, n = 101" in text
    assert "and 61 more: see --format json" in text
    rows = text.splitlines()
    assert rows[rows.index(next(row for row in rows if row.startswith("trace "))) + 1].startswith("bad ")


# --- compare


@pytest.mark.parametrize("output", TRACE_OUTPUTS, ids=lambda output: output.id)
def test_the_repair_of_r2_is_as_reviewed(golden: Golden, output: TraceOutput) -> None:
    golden(f"traces-compare.{'txt' if output.id == 'text' else output.id}", output.compare(REPAIR, PLAIN))


def test_the_repair_of_r2_changes_r2_and_leaves_the_other_failures() -> None:
    changed = [change for change in REPAIR.changes if change.simulated]
    assert [(change.after.record.query, change.before.values, change.after.values) for change in changed] == [
        ("R2", (1, 1, 0.5, 0.5), (1, 1, 1, 1))
    ]
    assert not changed[0].after.failed
    same = [change for change in REPAIR.changes if not change.simulated]
    assert all(change.before == change.after for change in same)
    assert {verdict.query for verdict in failures(REPAIR)} == {"R1", "R3", "R4", "R5"}
    assert comparison_exit_code(REPAIR) is ExitCode.GATE_FAILED
    text = TEXT.compare(REPAIR, PLAIN)
    assert "R2 [simulated unless recorded]" in text
    assert "unless both files were recorded" in text
    assert "R2 [simulated]" in render_demo(LESSON, PLAIN)
    views = json.loads(JSON.compare(REPAIR, PLAIN))["changes"]
    assert [(view["id"], view["simulated"]) for view in views if view["metrics"] or view["simulated"]] == [
        ("R2", True)
    ]


def test_nothing_changed_is_no_repair() -> None:
    comparison = compare(LESSON, LESSON, 2)
    assert not any(change.simulated for change in comparison.changes)
    assert "CHANGED: 0 traces" in TEXT.compare(comparison, PLAIN)
    assert comparison_exit_code(comparison) is ExitCode.GATE_FAILED


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        (_without(LESSON, "R3"), "trace-removed"),
        (_changed(LESSON, "R3", lambda trace: replace(trace, stale=())), "trace-relabelled"),
        (_changed(LESSON, "R1", lambda trace: replace(trace, relevant=(UnitId("rule"),))), "trace-relabelled"),
        (_changed(LESSON, "R5", lambda trace: replace(trace, expected=None)), "trace-relabelled"),
        (
            _changed(LESSON, "R5", lambda trace: replace(trace, hits=(ChunkId("a"), ChunkId("T3")))),
            "trace-value-fell",
        ),
    ],
    ids=["removed", "stale label", "relevant label", "expected state", "a value fell"],
)
def test_a_failure_is_not_repaired_by_forgetting_it(after: LoadedTraces, kind: str) -> None:
    kinds = [verdict.kind for verdict in failures(compare(LESSON, after, 2))]
    assert kinds.count(kind) == 1


def test_labels_in_another_order_are_the_same_labels() -> None:
    turned = _changed(LESSON, "R1", lambda trace: replace(trace, relevant=trace.relevant[::-1]))
    assert compare(LESSON, turned, 2).edited == ()


def test_a_whole_repair_passes() -> None:
    before = _traces({"id": "a", "relevant": ["x"], "forbidden": ["y"], "hits": ["y", "x"]})
    after = _traces({"id": "a", "relevant": ["x"], "forbidden": ["y"], "hits": ["x"]})
    comparison = compare(before, after, 2)
    assert comparison_exit_code(comparison) is ExitCode.PASS
    assert TEXT.compare(comparison, PLAIN).startswith(
        "PASSED: permission; no value fell in 1 trace; not checked: freshness, state"
    )


def test_a_value_that_fell_names_the_chunk_and_an_action_that_compare_can_take() -> None:
    before = _traces({"id": "a", "relevant": ["x", "y", "z"], "hits": ["x", "y"]})
    after = _traces({"id": "a", "relevant": ["x", "y", "z"], "hits": ["n", "x"]})
    (fell,) = failures(compare(before, after, 2))
    assert (fell.kind, fell.units, fell.value, fell.baseline) == ("trace-value-fell", ("x", "y"), 1 / 3, 2 / 3)
    text = TEXT.compare(compare(before, after, 2), PLAIN)
    assert "x, y; recall@2 0.6667 -> 0.3333; also precision@2, mrr@2" in text
    for kind in TRACE_KINDS:
        assert "accept" not in kind.action


def test_values_that_were_compared_are_a_check_and_nothing_relevant_is_none() -> None:
    some, none = (
        _traces({"id": "a", "relevant": ["x"], "hits": []}),
        _traces({"id": "a", "relevant": [], "hits": []}),
    )
    assert comparison_exit_code(compare(some, some, 2)) is ExitCode.PASS
    assert "PASSED: no value fell in 1 trace; not checked: permission" in TEXT.compare(
        compare(some, some, 2), PLAIN
    )
    assert comparison_exit_code(compare(none, none, 2)) is ExitCode.NOTHING_COMPARABLE
    assert TEXT.compare(compare(none, none, 2), PLAIN).startswith("FAILED: nothing was checked: a check needs")


def test_an_added_trace_is_named_and_a_value_that_comes_is_no_number_before() -> None:
    before = _traces({"id": "a", "relevant": ["x"], "hits": []})
    after = _traces(*({"id": name, "relevant": ["x"], "hits": ["x"]} for name in "abc"))
    text = TEXT.compare(compare(before, after, 2), PLAIN)
    assert "NOT COMPARED: 2 traces\n   added: b, c\n" in text
    assert "      precision@2 not applicable -> 1.0000\n" in text


def test_with_judgments_for_both_a_trace_that_is_gone_or_new_is_told_once() -> None:
    labels = Source(b'[{"id": "a", "relevant": ["x"]}, {"id": "b", "relevant": ["x"]}]', "j")
    one, both, more = (
        load_traces(Source(json.dumps([{"id": name, "hits": ["x"]} for name in names]).encode(), "r"), labels)
        for names in ("a", "ab", "abc")
    )
    gone = compare(both, one, 2)
    assert ([(item.kind, item.query) for item in failures(gone)], gone.removed) == (
        [("trace-missing", "b")],
        ("b",),
    )
    new = compare(one, both, 2)
    assert (failures(new), new.added) == ((), ("b",))
    unlabelled = compare(both, more, 2)
    assert [(item.kind, item.query) for item in failures(unlabelled)] == [("trace-unlabelled", "c")]
    forgotten = compare(more, both, 2)
    assert [(item.kind, item.query) for item in failures(forgotten)] == [("trace-removed", "c")]
    assert [(name, str(place)) for name, place in forgotten.places] == [("c", "r:1")]


def test_two_sets_without_a_shared_trace_are_never_green() -> None:
    one = _traces({"id": "a", "relevant": ["x"], "hits": ["x"]})
    other = _traces({"id": "b", "relevant": ["x"], "hits": ["x"]})
    comparison = compare(one, other, 2)
    assert [verdict.kind for verdict in failures(comparison)] == ["trace-removed"]
    assert (comparison.added, comparison.removed) == (("b",), ("a",))


# --- demo and schemas


NONE = score(_traces({"id": "a", "relevant": [], "hits": []}), 2)
LOST = score(load_traces(Source(b'[{"id":"b","hits":[]}]', "r"), Source(b'[{"id":"a","relevant":["x"]}]', "j")), 1)
GONE = compare(LESSON, _without(LESSON, "R3"), 2)


@pytest.mark.parametrize("report", [REPORT, NONE, LOST], ids=["the lesson", "nothing checked", "labels lost"])
def test_what_score_prints_fits_its_published_schema(report: TraceReport) -> None:
    view = json.loads(JSON.score(report, PLAIN))
    validator = Draft202012Validator(json.loads(report_schema_text()))
    assert list(validator.iter_errors(view)) == []
    del view["results"][0]["checks"]["state"]
    view["scope"]["query"] = "a text"
    assert len(list(validator.iter_errors(view))) == 2


@pytest.mark.parametrize(
    "comparison", [REPAIR, GONE, compare(LESSON, LESSON, 1)], ids=["repaired", "gone", "same"]
)
def test_what_compare_prints_fits_its_published_schema(comparison: TraceComparison) -> None:
    view = json.loads(JSON.compare(comparison, PLAIN))
    validator = Draft202012Validator(json.loads(comparison_schema_text()))
    assert list(validator.iter_errors(view)) == []
    view["changes"][0]["metrics"]["recall@2"] = 1
    view["added"] = None
    assert len(list(validator.iter_errors(view))) == 2


def test_the_lesson_is_as_reviewed(golden: Golden) -> None:
    golden("traces-demo.txt", render_demo(LESSON, PLAIN))


def test_the_lesson_explains_each_of_its_failures() -> None:
    assert [lesson.kind for lesson in LESSONS] == [
        verdict.kind
        for result in REPORT.results
        for verdict in failures(REPORT)
        if verdict.query == result.record.query
    ]


# --- all


LONG = f"{'a-very-long-name-' * 7}of-one"
WIDE = _traces(
    {"id": LONG, "relevant": ["x" * 128], "forbidden": ["y" * 128], "hits": ["y" * 128], "expected": "ANSWERED"}
)


@pytest.mark.parametrize(
    "text",
    [
        TEXT.score(REPORT, PLAIN),
        TEXT.compare(REPAIR, PLAIN),
        render_demo(LESSON, PLAIN),
        TEXT.score(score(WIDE, 1000), PLAIN),
        TEXT.compare(compare(WIDE, _changed(WIDE, LONG, lambda trace: replace(trace, hits=())), 1000), PLAIN),
    ],
    ids=["score", "compare", "demo", "long names", "long names compared"],
)
def test_no_line_is_wider_than_80_columns(text: str) -> None:
    assert max(map(len, text.splitlines())) <= 80
    assert text == text.rstrip()


def test_colour_says_nothing_that_the_words_do_not() -> None:
    colour = TEXT.score(REPORT, Style(colour=True))
    assert "\x1b[31m" in colour
    for code in ("\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m"):
        colour = colour.replace(code, "")
    assert colour == TEXT.score(REPORT, PLAIN)


def test_a_text_that_no_table_has_stops_the_report_without_being_quoted() -> None:
    leak = replace(failures(REPORT)[0], detail="whispers of a query")
    with pytest.raises(InternalError) as caught:
        report_view(replace(REPORT, verdicts=(leak,)))
    assert caught.value.code == "text-in-report"
    assert "whispers" not in str(caught.value)
