"""The terminal's text: what a hurried developer reads when a gate fails."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.ids import AblationId, QueryId
from retrieval_gate.base.places import Place
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.next_steps import MENDED_BY_ACCEPTING, approve_command
from retrieval_gate.report.outputs.style import PLAIN, Style, cells, plain, wrap
from retrieval_gate.report.outputs.text import render, render_accepted
from retrieval_gate.report.report import NO_BASELINE, FailOn, Invocation, Report
from retrieval_gate.verdict.kinds import KINDS, kind_of
from tests.report.rich import FAILED, LOOSENED, NOT_CHECKED, PASSED, RICH
from tests.report.samples import DIFFERENCES, HYBRID, PARTIAL, RERANK, a_report, rows
from tests.report.strategies import ids, verdicts


def test_how_often_what_is_never_tolerated_was_looked_for_is_counted_over_all_ablations() -> None:
    checks = [
        Verdict(kind=kind, status=Status.PASSED, ablation=ablation, value=0.0, bound=0.0, n=n)
        for kind, ablation, n in (
            ("permission-leak", HYBRID, 40),
            ("permission-leak", RERANK, 2),
            ("lifecycle", HYBRID, 7),
            ("completeness", HYBRID, 76),
        )
    ]
    assert "checks passed: permission-leak 42, lifecycle 7\n" in render(a_report(*checks), PLAIN)
    assert "checks passed" not in render(a_report(), PLAIN)


def test_the_rich_report_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("report.txt", render(RICH, PLAIN) + "\n")


def test_failures_other_than_loosenings_read_as_their_golden_file(golden: Callable[[str, str], None]) -> None:
    """The terminal shows 20 failures: the rich report's loosenings alone are more."""
    rest = tuple(verdict for verdict in RICH.verdicts if verdict not in LOOSENED)
    golden("report-regressions.txt", render(replace(RICH, verdicts=rest), PLAIN) + "\n")


def test_failures_that_do_not_block_are_warnings_under_a_green_headline() -> None:
    drop = next(verdict for verdict in FAILED if verdict.kind == "no-drop")
    text = render(replace(a_report(drop), fail_on=FailOn.VIOLATION), PLAIN)
    head = "PASSED: 1 failed gate only warned of, as fail-on is violation (exit code 0)"
    assert text.splitlines()[0] == head
    assert "WARNINGS: 1, worst first; they do not block\n" in text
    assert "FAILURES" not in text
    assert "--fail-on violation" in text
    both = render(replace(a_report(FAILED[0], drop), fail_on=FailOn.VIOLATION), PLAIN)
    assert both.splitlines()[0] == "FAILED: a gate failed (exit code 1)"
    assert "FAILURES: 1, worst first\n" in both


def test_the_base_branch_is_named_again_in_the_command_that_reproduces() -> None:
    against = a_report(FAILED[0], invocation=Invocation(base_baseline="base branch.jsonl"))
    assert "--base-baseline 'base branch.jsonl'" in render(against, PLAIN)


def test_a_passing_report_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("report-passed.txt", render(a_report(*PASSED), PLAIN) + "\n")


def test_the_verdict_stands_on_the_first_line() -> None:
    assert render(a_report(*PASSED), PLAIN).splitlines()[0] == "PASSED: every gate passed (exit code 0)"
    assert render(a_report(*FAILED[:2]), PLAIN).splitlines()[0] == "FAILED: 2 gates failed (exit code 1)"
    labelled = a_report(*FAILED[:1], label="python-3.12")
    assert render(labelled, PLAIN).splitlines()[0] == "FAILED [python-3.12]: a gate failed (exit code 1)"


def test_a_failure_names_query_unit_ranks_stage_place_and_first_action() -> None:
    lost = next(verdict for verdict in FAILED if verdict.kind == "relevant-left-cut-off")
    text = render(a_report(lost), PLAIN)
    assert " 1. relevant-left-cut-off: query q-en-01, hybrid\n" in text
    assert "    backup#2: rank 2 -> not returned, lost at fusion; recall@5 1.0000 -> 0.5000," in text
    assert "    at fixtures/synthetic-bilingual-v1.json:412\n" in text
    assert "    first: start at the stage named" in text


def test_a_value_just_below_its_bound_never_looks_equal_to_it() -> None:
    floor = next(verdict for verdict in FAILED if verdict.kind == "floor")
    assert "0.7499999, bound 0.7500000" in render(a_report(floor), PLAIN)


def test_counts_are_whole_numbers() -> None:
    leak = next(verdict for verdict in FAILED if verdict.kind == "permission-leak")
    assert "    payroll#1: found in context; permission-leaks 1, bound 0\n" in render(a_report(leak), PLAIN)


def test_the_terminal_shows_the_worst_20_and_says_how_many_more_there_are() -> None:
    many = [replace(FAILED[0], query=QueryId(f"q-{number}")) for number in range(47)]
    text = render(a_report(*many), PLAIN)
    assert "20. permission-leak: query q-19, hybrid" in text
    assert "q-20" not in text
    assert "and 27 more: see the report (--report FILE)" in text
    assert "more: see the report" not in render(a_report(*many[:20]), PLAIN)


def test_the_reproduce_command_names_the_failing_ablations_only() -> None:
    text = render(a_report(FAILED[0]), PLAIN)
    assert "reproduce:\n   retrieval-gate run \\\n" in text
    assert text.count("--ablations hybrid\n") == 1
    assert "--ablations" not in render(a_report(replace(FAILED[0], ablation=None)), PLAIN)


def test_a_run_of_some_ablations_is_reproduced_and_approved_with_the_same_ones_only() -> None:
    """Here all that ran has failed: without the option every configured ablation would run."""
    asked = Invocation(ablations=("lexical", "hybrid"), base_baseline="base.jsonl")
    whole = a_report(replace(FAILED[0], ablation=None), invocation=asked)
    assert "--ablations lexical,hybrid\n" in render(whole, PLAIN)
    assert "--ablations lexical,hybrid" in approve_command(whole, "0123456789abcdef")
    assert not any("--ablations" in part for part in approve_command(a_report(FAILED[0]), "0123456789abcdef"))


def test_no_kind_of_failure_crowds_out_the_others() -> None:
    crowd = [replace(FAILED[0], query=QueryId(f"q-{number}")) for number in range(300)]
    text = render(a_report(*crowd, FAILED[1]), PLAIN)
    assert "10. permission-leak: query q-9, hybrid" in text
    assert "11. stale-evidence" in text
    assert "and 290 more: see the report" in text


def test_what_an_absolute_gate_names_is_reproduced_too_for_it_fails_when_it_is_not_measured() -> None:
    floor = next(verdict for verdict in FAILED if verdict.kind == "floor")
    passed = replace(floor, status=Status.PASSED, ablation=RERANK)
    assert "--ablations hybrid,hybrid-rerank" in render(a_report(FAILED[0], passed), PLAIN)
    assert "--ablations hybrid\n" in render(a_report(FAILED[0], *PASSED), PLAIN)


def test_the_reproduce_command_repeats_the_date_of_the_waivers() -> None:
    dated = a_report(FAILED[0], invocation=Invocation(today=date(2026, 1, 31)))
    assert "--today 2026-01-31" in render(dated, PLAIN)


def test_no_command_is_offered_that_would_be_refused() -> None:
    """`baseline accept` takes the configured abstention only."""
    drop = next(verdict for verdict in FAILED if verdict.kind == "no-drop")
    answering = Invocation(abstention=False)
    assert "baseline accept" not in render(a_report(drop, invocation=answering), PLAIN)
    text = render(a_report(drop, baseline=NO_BASELINE, invocation=answering), PLAIN)
    assert "--no-abstention" not in text.partition("make the first baseline:")[2]


def test_a_baseline_of_another_fixture_says_what_to_run() -> None:
    text = render(a_report(*PASSED, baseline=replace(PARTIAL, comparable=False)), PLAIN)
    assert "(exit code 4)" in text.splitlines()[0]
    assert "replace the baseline, where it is the wrong one:\n   retrieval-gate baseline accept" in text


def test_a_pass_says_what_was_left_out() -> None:
    not_run = next(verdict for verdict in NOT_CHECKED if verdict.kind == "ablation-not-run")
    text = render(a_report(*PASSED, not_run), PLAIN)
    assert text.splitlines()[0] == "PASSED: every gate passed, with 1 ablation left out (exit code 0)"


def test_acceptance_tells_what_it_takes_in_from_what_no_baseline_mends() -> None:
    drop = next(verdict for verdict in FAILED if verdict.kind == "no-drop")
    floor = next(verdict for verdict in FAILED if verdict.kind == "floor")
    text = render_accepted(a_report(floor, drop), "fixtures/a.baseline.jsonl", PLAIN)
    assert text.startswith("ACCEPTED: fixtures/a.baseline.jsonl is written; review and commit it\n")
    taken, _, standing = text.partition("STILL FAILING, which no baseline mends: 1")
    assert "TAKEN IN, failures against the baseline before: 1\n   no-drop 1" in taken
    assert "\n 1. floor" in standing
    assert "exit code" not in text


def test_an_acceptance_of_a_green_run_is_two_facts() -> None:
    text = render_accepted(a_report(*PASSED), "a.baseline.jsonl", PLAIN)
    assert "TAKEN IN" not in text
    assert "STILL FAILING" not in text


def test_a_path_with_a_space_can_be_pasted() -> None:
    spaced = a_report(FAILED[0], invocation=Invocation(fixture="my sets/a.json", abstention=False))
    text = render(spaced, PLAIN)
    assert "      --fixture 'my sets/a.json' \\\n      --no-abstention \\\n" in text


def test_accepting_is_offered_only_where_it_can_help() -> None:
    drop = next(verdict for verdict in FAILED if verdict.kind == "no-drop")
    assert "baseline accept" in render(a_report(drop), PLAIN)
    assert '--reason "..."' in render(a_report(drop), PLAIN)
    assert "baseline accept" not in render(a_report(drop, FAILED[0]), PLAIN)
    assert "baseline accept" not in render(a_report(drop, differences=DIFFERENCES), PLAIN)
    assert "baseline accept" not in render(a_report(*PASSED), PLAIN)


def test_accepting_is_not_offered_for_a_floor_that_it_can_not_mend() -> None:
    floor = next(verdict for verdict in FAILED if verdict.kind == "floor")
    assert "baseline accept" not in render(a_report(floor), PLAIN)


def test_every_kind_that_accepting_mends_may_be_accepted() -> None:
    assert [kind for kind in MENDED_BY_ACCEPTING if not kind_of(kind).acceptable] == []
    absolute = [
        kind.id for kind in KINDS if kind.acceptable and kind.id not in MENDED_BY_ACCEPTING and kind.blocking
    ]
    assert {"floor", "ceiling", "max-below", "not-measured", "unsupported-answer", "over-abstention"} <= set(
        absolute
    )


def test_a_gate_between_two_ablations_is_reproduced_with_both() -> None:
    below = next(verdict for verdict in FAILED if verdict.kind == "max-below")
    assert "--ablations hybrid,hybrid-rerank\n" in render(a_report(below), PLAIN)


def test_the_failures_are_counted_by_kind_before_they_are_listed() -> None:
    text = render(a_report(FAILED[0], FAILED[0], FAILED[1]), PLAIN)
    assert "FAILURES: 3, worst first\n   permission-leak 2, stale-evidence 1\n 1. permission-leak" in text


def test_a_missing_baseline_says_how_the_first_is_made() -> None:
    text = render(a_report(*PASSED, baseline=NO_BASELINE), PLAIN)
    assert text.splitlines()[0] == "FAILED: there is no baseline (exit code 4)"
    assert "make the first baseline:\n   retrieval-gate baseline accept" in text
    allowed = render(a_report(*PASSED, baseline=NO_BASELINE, allow_missing_baseline=True), PLAIN)
    assert allowed.splitlines()[0] == "PASSED: every gate passed, without a baseline (exit code 0)"
    assert "first baseline" not in allowed


def test_every_exit_code_that_holds_is_said() -> None:
    last = render(RICH, PLAIN).split("\n\n")[-1].replace("\n   ", " ")
    assert last == "exit code 5: the retriever failed; also 3: the two runs differ; also 1: a gate failed"


def test_a_metric_that_does_not_apply_is_a_dash_with_its_n() -> None:
    lines = render(a_report(), PLAIN).splitlines()
    assert next(line for line in lines if line.startswith("  language=zh")).endswith("-")
    assert next(line for line in lines if line.startswith("n, language=zh")).split()[-1] == "0"


def test_tolerated_ties_alone_are_not_called_a_difference_of_the_runs() -> None:
    red, tie = DIFFERENCES
    assert "THE TWO RUNS DIFFER" not in render(a_report(differences=(tie,)), PLAIN)
    assert "TOLERATED: 1\n" in render(a_report(differences=(tie,)), PLAIN)
    assert "THE TWO RUNS DIFFER: 1\n" in render(a_report(differences=(red,)), PLAIN)


def test_quiet_keeps_the_verdict_and_the_failures_only() -> None:
    text = render(RICH, Style(quiet=True))
    assert text.splitlines()[0].startswith("FAILED")
    assert "permission-leak" in text
    assert not [word for word in ("LATENCY", "NOTES", "NOT CHECKED", "token-hash-vector") if word in text]


def test_colour_is_the_callers_decision_and_changes_nothing_else() -> None:
    coloured = render(RICH, Style(colour=True))
    assert "\x1b[31mFAILED" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == render(RICH, PLAIN)
    assert "\x1b" not in render(RICH, PLAIN)


def test_an_ablation_with_a_long_name_keeps_its_values_in_their_columns() -> None:
    long = AblationId("a" * 128)
    report = replace(
        a_report(),
        ablations=(long, HYBRID),
        rows=tuple(replace(row, ablation=long) for row in rows() if row.ablation == "lexical"),
    )
    text = render(report, PLAIN)
    assert max(cells(line) for line in text.splitlines()) <= 80
    assert text.count("a" * 40) == 3


@given(st.lists(verdicts(), max_size=4), st.sampled_from([60, 80, 120]))
def test_any_verdicts_fit_the_width_without_control_characters(many: list[Verdict], width: int) -> None:
    text = render(_with_places(a_report(*many, label="leg")), Style(width=width))
    assert [line for line in text.splitlines() if cells(line) > width] == []
    assert all(char.isprintable() for line in text.split("\n") for char in line)
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
    assert "##[" not in text


def _with_places(report: Report) -> Report:
    """Every query with a place, in a file with a hostile name."""
    places = {
        verdict.query: Place(file="a\n::error::b\x1b[2J.json", line=1)
        for verdict in report.verdicts
        if verdict.query
    }
    return replace(report, places=tuple(places.items()))


@given(ids)
def test_plain_text_can_be_read_back_where_it_was_harmless(text: str) -> None:
    shown = plain(text)
    assert shown.isprintable()
    if re.fullmatch(r"[A-Za-z0-9._#@+/(),-]+", text):
        assert shown == text


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 20, ["one two three"]),
        ("one two three", 9, ["one two", ">three"]),
        ("abcdefgh", 4, ["abcd", ">efg", ">h"]),
        ("知识库", 5, ["知识", ">库"]),
        ("", 10, [""]),
    ],
)
def test_lines_break_at_spaces_and_inside_a_word_that_fits_no_line(
    text: str, width: int, lines: list[str]
) -> None:
    assert wrap(text, width, rest=">") == lines


@given(st.text(alphabet="ab 知\u0301", max_size=60), st.integers(8, 30))
def test_wrapping_loses_no_letter_and_keeps_the_width(text: str, width: int) -> None:
    lines = wrap(text, width, first="- ", rest="  ")
    assert all(cells(line) <= width for line in lines)
    assert "".join(line[2:] for line in lines).replace(" ", "") == text.replace(" ", "")


def test_statuses_are_all_counted() -> None:
    counts = {status: len([verdict for verdict in RICH.verdicts if verdict.status is status]) for status in Status}
    text = render(RICH, PLAIN)
    assert f"gates: {counts[Status.FAILED]} failed, {counts[Status.PASSED]} passed" in text
    assert f"{counts[Status.NOT_CHECKED]} not checked; notes: {counts[Status.NOTE]}" in text
