"""The markdown output: readable in a pull request, and safe against whatever stands in an id."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from retrieval_gate.base.ids import AblationId, QueryId, SliceId
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.outputs.markdown import code
from retrieval_gate.report.outputs.style import PLAIN
from retrieval_gate.report.outputs.summary import render
from tests.report.rich import FAILED, PASSED, RICH
from tests.report.samples import HYBRID, a_report, rows
from tests.report.strategies import ids, verdicts

# The tags that the output itself writes.
OWN_TAGS = {"br", "code", "/code", "details", "/details", "summary", "/summary", "sub", "/sub"}


def test_the_rich_report_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("report.md", render(RICH, PLAIN))


def test_the_verdict_is_the_heading() -> None:
    assert render(a_report(*PASSED), PLAIN).startswith("## ✅ Retrieval Gate passed: every gate passed\n")
    labelled = a_report(FAILED[0], label="python-3.12")
    assert render(labelled, PLAIN).startswith("## ❌ Retrieval Gate failed `python-3.12`: a gate failed\n")


def test_a_failure_is_one_row_with_value_bound_n_and_first_action() -> None:
    floor = next(verdict for verdict in FAILED if verdict.kind == "floor")
    assert (
        "| absolute floor<br>`floor` | `hybrid-rerank`, `all`, `ndcg@10` | 0.7499999, bound 0.7500000<br>n 60 |"
        in render(a_report(floor), PLAIN)
    )


def test_a_harmless_id_is_a_code_span_and_any_other_is_made_of_references() -> None:
    assert code("q-1#2@x") == "`q-1#2@x`"
    assert code("a|b`<c>&\n") == "<code>a&#124;b&#96;&#60;c&#62;&#38;&#92;n</code>"


def test_a_longer_list_is_cut_and_says_so() -> None:
    many = [replace(FAILED[0], query=QueryId(f"q-{number}")) for number in range(53)]
    text = render(a_report(*many), PLAIN)
    assert "and 3 more: see the JSON report" in text
    assert "q-50" not in text


def test_every_language_has_its_collapsed_table() -> None:
    text = render(RICH, PLAIN)
    assert text.count("<details>") == text.count("</details>") == 4
    assert "<details><summary><code>language=zh</code></summary>" in text


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
    assert set(re.findall(r"<\s*(/?[a-zA-Z]+)", text)) <= OWN_TAGS
    failures = [line for line in text.splitlines() if line.startswith("| ") and line.count(" | ") == 3]
    failed = [verdict for verdict in many if verdict.status is Status.FAILED]
    assert len(failures) == (len(failed) + 2 if failed else 0)
    tokens = [
        token for block in MarkdownIt("commonmark").parse(text) for token in (block, *(block.children or ()))
    ]
    assert not [token for token in tokens if token.type in ("link_open", "image", "em_open", "strong_open")]
    assert len([token for token in tokens if token.type == "heading_open"]) == text.count("\n#") + 1


def test_the_run_without_failures_has_no_failure_table() -> None:
    assert "First action" not in render(a_report(*PASSED), PLAIN)
    assert "First action" in render(a_report(replace(FAILED[0], ablation=HYBRID)), PLAIN)
