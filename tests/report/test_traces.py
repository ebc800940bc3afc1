"""What is said of supplied traces: the whole texts as golden files, and what must or must not stand in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

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
from retrieval_gate.report.traces.report import comparison_exit_code, exit_code, failures
from retrieval_gate.report.traces.view import report_view
from retrieval_gate.verdict.kinds import kind_of

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
    assert "query-missing: trace a" in text
    assert "neither: the run holds none of these traces" in text
    assert "1 more of the run have no judgments" in text
    assert exit_code(report) is ExitCode.GATE_FAILED


def test_where_there_is_no_label_it_says_not_checked() -> None:
    report = score(_traces({"id": "a", "relevant": ["x"], "hits": ["x"]}), 2)
    text = TEXT.score(report, PLAIN)
    for check in ("permission", "freshness", "state", "evidence"):
        assert f"{check}: not checked, n = 0" in text
    assert exit_code(report) is ExitCode.PASS


def test_nothing_measured_is_never_green() -> None:
    report = score(_traces({"id": "a", "relevant": [], "hits": ["x"]}), 2)
    assert exit_code(report) is ExitCode.NOTHING_COMPARABLE
    assert TEXT.score(report, PLAIN).startswith("FAILED: nothing was measured (exit code 4)")


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
    assert "R2 [simulated]" in TEXT.compare(REPAIR, PLAIN)
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
        (_without(LESSON, "R3"), "query-removed"),
        (_changed(LESSON, "R3", lambda trace: replace(trace, stale=())), "label-edited"),
        (_changed(LESSON, "R1", lambda trace: replace(trace, relevant=(UnitId("rule"),))), "label-edited"),
        (_changed(LESSON, "R5", lambda trace: replace(trace, expected=None)), "label-edited"),
        (
            _changed(LESSON, "R5", lambda trace: replace(trace, hits=(ChunkId("a"), ChunkId("T3")))),
            "query-value-fell",
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
    assert TEXT.compare(comparison, PLAIN).startswith("PASSED: nothing fails after the repair")


def test_two_sets_without_a_shared_trace_are_never_green() -> None:
    one = _traces({"id": "a", "relevant": ["x"], "hits": ["x"]})
    other = _traces({"id": "b", "relevant": ["x"], "hits": ["x"]})
    comparison = compare(one, other, 2)
    assert [verdict.kind for verdict in failures(comparison)] == ["query-removed"]
    assert (comparison.added, comparison.removed) == (("b",), ("a",))


# --- demo


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
