"""The job summary: readable in a pull request, safe against whatever stands in an id, and never too large."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from retrieval_gate.base.errors import FixtureError, UsageError
from retrieval_gate.base.ids import AblationId, QueryId, SliceId, UnitId
from retrieval_gate.base.places import Place, Problem, Severity
from retrieval_gate.base.scores import Row
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.outputs.markdown import code, prose
from retrieval_gate.report.outputs.style import PLAIN
from retrieval_gate.report.outputs.summary import BUDGET, LEVELS, error_summary, render, summary
from retrieval_gate.report.report import FailOn, Report
from tests.report.rich import FAILED, LOOSENED, NOTES, PASSED, RICH, SCENARIO_FINDINGS
from tests.report.samples import HYBRID, MATCHED, a_report, rows
from tests.report.strategies import ids, verdicts

# The tags that the output itself writes.
OWN_TAGS = {"br", "code", "/code", "details", "/details", "summary", "/summary", "sub", "/sub"}
LEAK, DROP = FAILED[0], FAILED[-1]
HASH = "c" * 64


def test_the_rich_report_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("report.md", render(RICH, PLAIN))


def test_the_verdict_is_the_heading() -> None:
    assert render(a_report(*PASSED), PLAIN).startswith("## ✅ Retrieval Gate passed: every gate passed\n")
    labelled = a_report(LEAK, label="python-3.12")
    assert render(labelled, PLAIN).startswith("## ❌ Retrieval Gate failed `python-3.12`: a gate failed\n")


def test_a_failure_that_does_not_block_is_a_warning_in_heading_and_table() -> None:
    text = render(replace(a_report(LEAK, DROP), fail_on=FailOn.NEVER), PLAIN)
    assert text.startswith(
        "## ⚠️ Retrieval Gate passed with warnings: 2 failed gates only warned of, as fail-on is never\n"
    )
    assert "### Warnings: 2, worst first; they do not block" in text
    assert "### Violations" not in text
    partly = render(replace(a_report(LEAK, DROP), fail_on=FailOn.VIOLATION), PLAIN)
    assert partly.startswith("## ❌ Retrieval Gate failed: a gate failed\n")
    assert "### Violations: 1, none is tolerated" in partly
    assert "### Warnings: 1, worst first" in partly
    assert "--fail-on violation" in partly


def test_a_regression_is_one_row_with_baseline_now_delta_allowed_n_and_first_action() -> None:
    row = (
        "| `hybrid-rerank`, `language=zh`, `ndcg@10` | 0.7214 | 0.6941 | -0.0273 | 0.7214 | 29 | first: start with"
    )
    assert row in render(a_report(DROP), PLAIN)
    floor = next(verdict for verdict in FAILED if verdict.kind == "floor")
    assert "| - | 0.7499999 | - | 0.7500000 | 60 | first: " in render(a_report(floor), PLAIN)
    fewer = next(verdict for verdict in FAILED if verdict.kind == "n-dropped")
    assert "| 0.7700 | 0.7800 | +0.0100 | n 60 | 60 -> 58 | first: " in render(a_report(fewer), PLAIN)


def test_a_small_delta_is_never_shown_as_none() -> None:
    close = replace(DROP, value=0.750049, baseline=0.750051, bound=0.750051)
    assert "| 0.7501 | 0.7500 | -0.000002 | 0.7501 |" in render(a_report(close), PLAIN)
    same = replace(DROP, value=0.75, baseline=0.75)
    assert "| 0.7500 | 0.7500 | 0.0000 | 0.7214 |" in render(a_report(same), PLAIN)


def test_a_violation_is_one_row_with_what_was_found_and_where() -> None:
    assert (
        "| permission leak<br>`permission-leak` | query `q-en-01`, `hybrid`<br>"
        "`fixtures/synthetic-bilingual-v1.json:412` | `payroll#1`: found in `context`<br>"
        "`permission-leaks` 1, bound 0 | enforce"
    ) in render(a_report(LEAK), PLAIN)


def test_a_harmless_id_is_a_code_span_and_any_other_is_made_of_references() -> None:
    assert code("q-1#2@x") == "`q-1#2@x`"
    assert code("a|b`<c>&\n") == "<code>a&#124;b&#96;&#60;c&#62;&#38;&#92;n</code>"
    assert prose("a | [b](c)") == "a &#124; &#91;b&#93;&#40;c&#41;"


def test_a_longer_list_is_cut_and_says_so() -> None:
    many = [replace(LEAK, query=QueryId(f"q-{number}")) for number in range(203)]
    text = render(a_report(*many), PLAIN)
    assert "and 3 more: see the JSON report" in text
    assert "`q-199`" in text
    assert "`q-200`" not in text


def test_every_ablation_and_every_language_has_its_collapsed_table() -> None:
    text = render(RICH, PLAIN)
    titles = re.findall(r"<details><summary><code>(.*?)</code></summary>", text)
    assert titles == [*RICH.ablations, "language=en", "language=zh", "tag=near-miss"]
    assert "| `recall@5` | 0.7900 (n 60) | 0.7790 (n 31) | 0.7680 (n 29) |" in text
    assert "| `no-answer-fpr` | 0.2500 (n 16) | 0.2500 (n 16) | - (n 0) |" in text


def test_improvements_stand_apart_from_notes() -> None:
    text = render(a_report(*NOTES), PLAIN)
    _, _, better = text.partition("<summary>Improvements: 2, which no baseline protects yet</summary>")
    better, _, rest = better.partition("</details>")
    assert better.count("\n- ") == 2
    assert "`improved`" not in rest


def test_how_to_approve_a_loosening_is_said_with_its_hash_until_it_is_approved() -> None:
    report = a_report(LEAK, baseline=replace(MATCHED, loosening_hash=HASH))
    text = render(report, PLAIN)
    assert f"this change asks for less than the base branch's baseline, not approved: `{HASH}`" in text
    assert f"--approve-loosening {HASH}`" in text
    approve = next(line for line in text.splitlines() if line.startswith("- approve the loosening"))
    assert "--ablations" not in approve
    approved = replace(report, baseline=replace(report.baseline, loosening_approved=True))
    assert f"approved: `{HASH}`" in render(approved, PLAIN)
    assert "--approve-loosening" not in render(approved, PLAIN)
    assert "asks for less" not in render(a_report(LEAK), PLAIN)


def test_the_provenance_names_tool_and_hashes() -> None:
    last = render(RICH, PLAIN).splitlines()[-1]
    assert "tool 0.1.0" in last
    assert "evaluation `aaaaaaaaaaaaaaaa`, labels `1111111111111111`, system `2222222222222222`" in last


def _whole(text: str) -> bool:
    """Whether every tag is closed, and every table has a head and rows of one width."""
    tags = [
        len(re.findall(f"<{tag}>", text)) == len(re.findall(f"</{tag}>", text)) for tag in ("details", "summary")
    ]
    width = 0
    for line in text.splitlines():
        cells = line.count(" | ") + 1 if line.startswith("| ") and line.endswith(" |") else 0
        if line.startswith("|") and cells != (width or cells):
            return False
        width = cells
    return all(tags) and text.endswith("\n")


@cache
def _ten_thousand() -> Report:
    """Failures of the longest ids, and a fixture with many slices."""
    many = [
        replace(
            FAILED[number % len(FAILED)],
            query=QueryId(f"{number:05}-" + "q" * 122),
            units=(UnitId("u" * 128),) * 8,
        )
        for number in range(10_000)
    ]
    parts = [SliceId(f"tag={number:03}{'t' * 100}") for number in range(300)]
    wide = [
        Row(ablation=HYBRID, slice=part, metric=row.metric, value=0.5, n=3) for part in parts for row in rows()[:8]
    ]
    return replace(a_report(*many), rows=(*rows(), *wide))


def test_ten_thousand_failures_stay_under_the_limit_and_whole() -> None:
    text = summary(_ten_thousand(), budget=BUDGET)
    assert 100_000 < len(text.encode("utf-8")) <= BUDGET
    assert _whole(text)
    assert "10000 gates failed" in text.splitlines()[0]


@pytest.mark.parametrize("budget", [0, 1, 60, 100, 1_000, 2_000, 5_000, 10_000, 30_000, 100_000, BUDGET])
def test_whatever_room_is_left_is_enough_and_nothing_is_cut_in_two(budget: int) -> None:
    for report in (RICH, _ten_thousand()):
        text = summary(report, budget=budget)
        assert len(text.encode("utf-8")) <= budget
        assert not text or _whole(text)
        assert not text or text.startswith("## ❌ Retrieval Gate failed")


def test_less_room_takes_rows_tables_and_at_last_all_but_the_verdict() -> None:
    sizes = [len(summary(RICH, budget=budget).encode("utf-8")) for budget in (BUDGET, 16_000, 6_000, 100)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 4
    counts_only = summary(RICH, budget=6_000)
    assert f"### Violations: {5 + len(SCENARIO_FINDINGS) + len(LOOSENED)}, none is tolerated" in counts_only
    assert "`permission-leak` 1" in counts_only
    assert "| " not in counts_only
    assert summary(RICH, budget=100) == "## ❌ Retrieval Gate failed `python-3.12`: the retriever failed\n"
    assert LEVELS[-1].failures == 0


def test_an_error_before_the_run_is_summarised_with_its_problems() -> None:
    problem = Problem(
        rule="no-id",
        severity=Severity.ERROR,
        place=Place(file="a|b.json", line=7),
        message="there is no 'id'",
        fix="give one",
    )
    error = FixtureError(
        "fixture-invalid", "1 problem", fix="mend it", where=Place(file="a.json"), problems=[problem]
    )
    text = error_summary(error, budget=BUDGET)
    assert text.startswith(
        "## ❌ Retrieval Gate could not judge this run: `fixture-invalid`\n\n`a.json`: 1 problem<br>\n"
    )
    assert "| `no-id` | <code>a&#124;b.json&#58;7</code> | there is no &#39;id&#39; | give one |" in text
    assert "exit code 2" in text
    assert _whole(text)


def test_an_error_with_many_problems_stays_under_the_limit() -> None:
    place = Place(file="a.json", line=1)
    problem = Problem(rule="r", severity=Severity.ERROR, place=place, message="m" * 200, fix="f" * 200)
    error = FixtureError("fixture-invalid", "many problems", fix="mend them", problems=[problem] * 10_000)
    for budget in (BUDGET, 10_000, 1_000, 100, 10):
        text = error_summary(error, budget=budget)
        assert len(text.encode("utf-8")) <= budget
        assert not text or _whole(text)
    assert "and 9800 more" in error_summary(error, budget=BUDGET)
    assert "more: see" not in error_summary(UsageError("a", "b", fix="c"), budget=BUDGET)


@given(ids)
def test_an_id_can_not_leave_its_cell(text: str) -> None:
    shown = code(text)
    assert not set("|\n\r") & set(shown)
    assert re.fullmatch(r"`[^`]+`|<code>[^<>`|]+</code>", shown)


@given(st.lists(verdicts(), max_size=3), ids)
def test_hostile_ids_make_no_tag_link_heading_or_cell(many: list[Verdict], name: str) -> None:
    hostile = tuple(replace(row, ablation=AblationId(name), slice=SliceId(name)) for row in rows()[:3])
    report = replace(a_report(*many), ablations=(AblationId(name),), rows=hostile)
    text = render(report, PLAIN)
    assert _whole(text)
    assert set(re.findall(r"<\s*(/?[a-zA-Z]+)", text)) <= OWN_TAGS
    failures = [line for line in text.splitlines() if re.match(r"\| [a-z', -]+<br>", line)]
    assert len(failures) == len([verdict for verdict in many if verdict.status is Status.FAILED])
    tokens = [
        token for block in MarkdownIt("commonmark").parse(text) for token in (block, *(block.children or ()))
    ]
    assert not [token for token in tokens if token.type in ("link_open", "image", "em_open", "strong_open")]
    assert len([token for token in tokens if token.type == "heading_open"]) == text.count("\n#") + 1


def test_the_run_without_failures_has_no_failure_table() -> None:
    assert "first action" not in render(a_report(*PASSED), PLAIN).lower()
    assert "First action" in render(a_report(replace(LEAK, ablation=HYBRID)), PLAIN)
