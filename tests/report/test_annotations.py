"""Annotations: what a reviewer sees beside the fixture's lines, and what the runner takes from the log."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings

from retrieval_gate.base.errors import FixtureError, UsageError
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId, UnitId
from retrieval_gate.base.places import Place, Problem, Severity
from retrieval_gate.report.outputs.annotations import annotate, error_annotations, render, workflow_command
from retrieval_gate.report.outputs.style import PLAIN, printable
from retrieval_gate.report.outputs.table import OUTPUTS
from retrieval_gate.report.places import repository_path
from retrieval_gate.report.report import NO_BASELINE, FailOn, Report
from tests.report.rich import FAILED, NOTES, PASSED, RICH
from tests.report.runner import MODEL, Parse, hostile, runner_model
from tests.report.samples import DIFFERENCES, FILE, a_report, rows
from tests.shared import shared

LEAK, STALE, *_ = FAILED
# A sample that is the same each time; soak/annotations_roundtrip.py tries 100,000.
RANDOM = settings(max_examples=100, derandomize=True)


@pytest.fixture(scope="session")
def parse() -> Parse:
    return runner_model(shared(MODEL))


def test_the_rich_report_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("report.annotations.txt", render(RICH, PLAIN) + "\n")


def test_a_failure_says_place_kind_expected_got_first_action_and_how_to_reproduce(parse: Parse) -> None:
    lost = next(verdict for verdict in FAILED if verdict.kind == "relevant-left-cut-off")
    parsed = parse(annotate(a_report(lost), limit=10, prefix=""))
    assert parsed is not None
    name, properties, message = parsed
    assert name == "error"
    assert properties == {
        "file": FILE,
        "line": "412",
        "title": "relevant evidence left the cut-off (query q-en-01, hybrid)",
    }
    assert message.splitlines() == [
        "relevant-left-cut-off: query q-en-01, hybrid",
        (
            "backup#2: rank 2 -> not returned, lost at fusion; recall@5 expected at least 1.0000, got 0.5000; "
            "also ndcg@10, mrr@10"
        ),
        "first: start at the stage named: it is where the unit was lost",
        (
            "reproduce: retrieval-gate run --config retrieval-gate.toml "
            f"--fixture {FILE} --baseline fixtures/synthetic-bilingual-v1.baseline.jsonl --ablations hybrid"
        ),
    ]


def test_a_value_that_fell_stands_at_its_line_of_the_baseline(parse: Parse) -> None:
    drop = next(verdict for verdict in FAILED if verdict.kind == "no-drop")
    key = (AblationId("hybrid-rerank"), SliceId("language=zh"), MetricId("ndcg@10"))
    report = replace(a_report(drop), value_places=((key, Place(file="a.baseline.jsonl", line=77)),))
    parsed = parse(annotate(report, limit=10, prefix=""))
    assert parsed is not None
    assert parsed[1]["file"] == "a.baseline.jsonl"
    assert parsed[1]["line"] == "77"
    assert "expected at least 0.7214, got 0.6941" in parsed[2]


def test_a_held_out_failure_is_one_line_without_a_place(parse: Parse) -> None:
    held_out = next(verdict for verdict in FAILED if verdict.slice == "split=heldout")
    key = (AblationId("hybrid-rerank"), SliceId("split=heldout"), MetricId("wrong-state"))
    report = replace(a_report(held_out), value_places=((key, Place(file="a", line=1)),))
    parsed = parse(annotate(report, limit=10, prefix=""))
    assert parsed is not None
    assert set(parsed[1]) == {"title"}


def test_notes_and_passes_are_not_annotated() -> None:
    assert annotate(a_report(*PASSED, *NOTES), limit=10, prefix="") == ""


def test_nine_and_then_how_many_more_there_are(parse: Parse) -> None:
    many = [replace(LEAK, query=QueryId(f"q-{number:02}")) for number in range(12)]
    lines = annotate(a_report(*many, label="leg"), limit=10, prefix="").splitlines()
    assert len(lines) == 10
    assert [f"(query q-{number:02}%2C hybrid)" in line for number, line in enumerate(lines[:9])] == [True] * 9
    assert parse(lines[9]) == (
        "error",
        {"title": "leg: 3 more, see the report"},
        "leg: 3 more, see the report: the report and the job summary list them",
    )
    assert "more%2C" not in annotate(a_report(*many[:10]), limit=10, prefix="")


def test_the_worst_comes_first_and_what_kept_the_run_from_being_judged_before_it() -> None:
    lines = annotate(replace(RICH, label=None), limit=10, prefix="").splitlines()
    titles = [line.partition("title=")[2].partition(" (")[0] for line in lines[:4]]
    assert titles == ["retriever failed", "the two runs differ", "permission leak", "stale evidence"]


def test_a_lost_order_does_not_crowd_out_the_gates() -> None:
    many = tuple(replace(DIFFERENCES[0], query=QueryId(f"q-{number}")) for number in range(300))
    lines = annotate(a_report(LEAK, differences=many), limit=10, prefix="").splitlines()
    assert len(lines) == 2
    assert "300 queries differ, first: query q-0, hybrid, rank 3" in lines[0]
    assert "permission-leak" in lines[1]


def test_a_red_run_without_a_failed_gate_is_annotated_too() -> None:
    line = annotate(a_report(*PASSED, baseline=NO_BASELINE), limit=10, prefix="")
    assert line.startswith("::error title=nothing comparable::nothing-comparable%0Athere is no baseline%0Afirst")


@pytest.mark.parametrize(("limit", "lines"), [(0, 0), (1, 1), (2, 2), (3, 3), (10, 3)])
def test_the_limit_holds_and_its_last_line_is_the_count(limit: int, lines: int) -> None:
    text = annotate(a_report(LEAK, STALE, FAILED[2]), limit=limit, prefix="")
    assert len(text.splitlines()) == lines
    assert ("title=3 failures%2C see" in text) == (limit == 1)
    assert ("title=2 more%2C see" in text) == (limit == 2)


@pytest.mark.parametrize("limit", [-1, 11, 1000])
def test_a_limit_that_can_not_work_is_refused(limit: int) -> None:
    with pytest.raises(UsageError, match="0 to 10") as caught:
        annotate(a_report(LEAK), limit=limit, prefix="")
    assert caught.value.code == "annotations-limit"


def test_a_failure_that_does_not_block_is_a_warning() -> None:
    report = replace(a_report(LEAK, FAILED[-1]), fail_on=FailOn.VIOLATION)
    leak, drop = annotate(report, limit=10, prefix="").splitlines()
    assert leak.startswith("::error file=")
    assert drop.startswith("::warning title=")
    never = replace(report, fail_on=FailOn.NEVER)
    assert annotate(never, limit=1, prefix="").startswith("::warning title=2 failures%2C see the report")


def test_the_working_directory_stands_before_the_path() -> None:
    assert f"file=services/search/{FILE}," in annotate(a_report(LEAK), limit=10, prefix="./services//search/")


@pytest.mark.parametrize(
    "file", ["/abs/a.json", "C:\\a.json", "c:/a.json", "../a.json", "a/../b.json", "a\n.json"]
)
def test_a_file_that_may_lie_outside_the_repository_gives_no_place(file: str) -> None:
    report = replace(a_report(LEAK), places=((QueryId("q-en-01"), Place(file=file, line=3)),))
    line = annotate(report, limit=10, prefix="")
    assert line.startswith("::error title=permission leak")
    assert "a.json" not in line


@pytest.mark.parametrize("file", ["sets/a,b.json", "sets/x:y.json", "100%.json", "my sets/a.json", "a;b=c.json"])
def test_a_path_with_signs_of_the_syntax_comes_back_whole(parse: Parse, file: str) -> None:
    """Cases 14 and 15."""
    report = replace(a_report(LEAK), places=((QueryId("q-en-01"), Place(file=file, line=3)),))
    parsed = parse(annotate(report, limit=10, prefix=""))
    assert parsed is not None
    assert parsed[1]["file"] == file
    assert parsed[1]["line"] == "3"


def test_a_long_title_names_the_kind_and_the_message_the_rest(parse: Parse) -> None:
    long = replace(LEAK, query=QueryId("q" * 128), ablation=AblationId("a" * 128))
    parsed = parse(annotate(a_report(long), limit=10, prefix=""))
    assert parsed is not None
    assert parsed[1]["title"] == "permission leak"
    assert "q" * 128 in parsed[2]


def test_every_problem_of_a_fixture_is_annotated_errors_first() -> None:
    place = Place(file="a.json", line=7, pointer="/queries/0")
    problems = [
        Problem(rule="span-twice", severity=Severity.WARNING, place=place, message="a span", fix="give start"),
        Problem(rule="no-id", severity=Severity.ERROR, place=place, message="there is no id", fix="give one"),
    ]
    error = FixtureError("fixture-invalid", "2 problems", fix="mend them", problems=problems)
    assert error_annotations(error, limit=10, prefix="sub").splitlines() == [
        "::error file=sub/a.json,line=7,title=no-id::there is no id%0Afix: give one",
        "::warning file=sub/a.json,line=7,title=span-twice::a span%0Afix: give start",
    ]
    assert error_annotations(error, limit=1, prefix="").startswith("::error title=2 failures%2C see")


def test_an_error_without_a_list_is_one_annotation() -> None:
    error = UsageError("host-path", "the path is absolute", fix="give a relative one", where=Place(file="/a"))
    told = "::error title=host-path::the path is absolute%0Afix: give a relative one"
    assert error_annotations(error, limit=10, prefix="") == told


@RANDOM
@given(file=hostile, title=hostile, message=hostile)
def test_any_text_comes_back_from_the_runner_as_it_went(file: str, title: str, message: str) -> None:
    parse = runner_model(shared(MODEL))
    line = workflow_command("error", [("file", file), ("title", title), ("line", "1")], message)
    assert parse(line) == ("error", {"file": file, "title": title, "line": "1"}, message)
    assert not set("\r\n") & set(line)


@RANDOM
@given(query=hostile, ablation=hostile, file=hostile)
def test_no_id_or_path_forges_a_command_or_loses_a_character(query: str, ablation: str, file: str) -> None:
    parse = runner_model(shared(MODEL))
    (line,) = annotate(_hostile(query, ablation, file), limit=10, prefix="").split("\n")
    parsed = parse(line)
    assert parsed is not None
    name, properties, message = parsed
    assert name == "error"
    assert properties.get("file") == repository_path(file, "")
    assert set(properties) <= {"file", "line", "title"}
    head = message.split("\n")[0]
    assert head == f"permission-leak: query {printable(query)}, {printable(ablation)}"
    assert properties["title"] in ("permission leak", f"permission leak ({head.partition(': ')[2]})")


def _hostile(query: str, ablation: str, file: str) -> Report:
    leak = replace(LEAK, query=QueryId(query), ablation=AblationId(ablation))
    return replace(a_report(leak), places=((QueryId(query), Place(file=file, line=1)),))


@RANDOM
@given(query=hostile, ablation=hostile, part=hostile, unit=hostile, file=hostile)
def test_no_printed_line_of_any_output_commands_the_runner(
    query: str, ablation: str, part: str, unit: str, file: str
) -> None:
    """Apart from the annotations themselves."""
    parse = runner_model(shared(MODEL))
    report = _hostile(query, ablation, file)
    drop = replace(FAILED[-1], slice=SliceId(part), units=(UnitId(unit),), stage=part, detail=unit)
    row = replace(rows()[0], ablation=AblationId(ablation), slice=SliceId(part))
    report = replace(
        report, verdicts=(*report.verdicts, drop, *NOTES), ablations=(AblationId(ablation),), rows=(row,)
    )
    for output in OUTPUTS:
        for line in output.render(report, PLAIN).replace("\r", "\n").split("\n"):
            if output.id == "github":
                assert parse(line) is not None
            else:
                assert parse(line) is None, (output.id, line)
                assert not re.search(r"##[A-Za-z]*\[", line), (output.id, line)
