"""`score`, `compare` and `demo` as they are called: exit codes, formats, mistakes, and no text of a query."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval_gate.base.exits import ExitCode
from tests.e2e.gate import ROOT, Gate

LESSON = "lesson-traces-v1.json"
REPAIRED = "repaired.json"
WORD = "kartoffel"


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """A workspace with the lesson, the lesson with R2 repaired, and no repository."""
    lesson = (ROOT / "fixtures" / LESSON).read_text(encoding="utf-8")
    (tmp_path / LESSON).write_text(lesson, encoding="utf-8")
    repaired = lesson.replace('["manager-limit", "public-refund"]', '["public-refund"]')
    (tmp_path / REPAIRED).write_text(repaired, encoding="utf-8")
    return Gate(workspace=tmp_path)


def test_the_lesson_is_scored_as_it_says(gate: Gate) -> None:
    ran = gate.run("score", LESSON, "--k", "2", "--format", "json")
    assert (ran.code, ran.err) == (1, "")
    report = json.loads(ran.out)
    values = {result["id"]: list(result["metrics"].values()) for result in report["results"]}
    assert values == {
        "R1": [0.5, 1, 0.5, 1],
        "R2": [1, 1, 0.5, 0.5],
        "R3": [0, 0, 0, 0],
        "R4": [None, None, 0, None],
        "R5": [1, 1, 1, 1],
    }
    failed = {
        (result["id"], check)
        for result in report["results"]
        for check, status in result["checks"].items()
        if status == "failed"
    }
    assert failed == {
        ("R1", "evidence"),
        ("R2", "permission"),
        ("R3", "freshness"),
        ("R4", "state"),
        ("R5", "state"),
    }
    assert len({verdict["firstAction"] for verdict in report["verdicts"]}) == 5


def test_the_cut_off_is_10_until_another_is_asked_for(gate: Gate) -> None:
    assert "recall@10" in gate.call("score", LESSON, "--format", "json").out
    assert "recall@1 " in gate.call("score", LESSON, "--k", "1").out


def test_the_repair_of_r2_is_compared_as_simulated_and_the_rest_stays(gate: Gate) -> None:
    ran = gate.call("compare", LESSON, REPAIRED, "--k", "2")
    assert (ran.code, ran.err) == (1, "")
    for line in (
        "   R2 [simulated unless recorded]",
        "      precision@2 0.5000 -> 1.0000",
        "      recall@2 1.0000, as before",
        "      mrr@2 0.5000 -> 1.0000",
        "      permission fails -> passes",
        "   still failing: R1, R3, R4, R5",
    ):
        assert line in ran.out.splitlines()
    assert f"at {REPAIRED}:30" in ran.out


def test_a_file_that_passes_exits_0_in_both_formats_of_file(gate: Gate) -> None:
    trace = {
        "id": "a",
        "relevant": ["x"],
        "forbidden": ["f"],
        "stale": ["s"],
        "expected": "ANSWERED",
        "observed": "ANSWERED",
        "hits": ["x"],
    }
    (gate.workspace / "one.json").write_text(json.dumps([trace]), encoding="utf-8")
    (gate.workspace / "two.jsonl").write_text(
        "".join(json.dumps({**trace, "id": name}) + "\n" for name in "ab"), encoding="utf-8"
    )
    assert gate.call("score", "one.json").code == 0
    assert gate.call("score", "two.jsonl").out.startswith("PASSED: every gate passed (exit code 0)")


def test_labels_can_be_given_apart(gate: Gate) -> None:
    (gate.workspace / "run.jsonl").write_text(
        '{"id":"a","hits":["x"]}\n{"id":"b","hits":["f"]}\n', encoding="utf-8"
    )
    labels = [{"id": "a", "relevant": ["x"]}, {"id": "b", "relevant": ["y"], "forbidden": ["f"]}]
    (gate.workspace / "labels.json").write_text(json.dumps(labels, indent=1), encoding="utf-8")
    ran = gate.call("score", "run.jsonl", "--judgments", "labels.json")
    assert ran.code == 1
    assert "permission-leak: trace b" in ran.out
    assert "at labels.json:8" in ran.out


def test_the_labels_of_both_files_of_a_comparison_can_be_given_apart(gate: Gate) -> None:
    for name, hits in (("before.jsonl", '["f", "x"]'), ("after.jsonl", '["x"]')):
        (gate.workspace / name).write_text(
            f'{{"id":"a","hits":{hits}}}\n{{"id":"b","hits":[]}}\n', encoding="utf-8"
        )
    labels = [{"id": "a", "relevant": ["x"], "forbidden": ["f"]}, {"id": "b", "relevant": []}]
    (gate.workspace / "labels.json").write_text(json.dumps(labels), encoding="utf-8")
    ran = gate.call("compare", "before.jsonl", "after.jsonl", "--judgments", "labels.json")
    assert ran.code == 0
    assert "permission fails -> passes" in ran.out
    assert "--judgments FILE" in gate.call("compare", "before.jsonl", "after.jsonl").out


def test_a_label_that_is_lost_is_red_and_named(gate: Gate) -> None:
    (gate.workspace / "run.jsonl").write_text(
        '{"id":"a","hits":["x"]}\n{"id":"b","hits":["x"]}\n', encoding="utf-8"
    )
    labels = [{"id": name, "relevant": ["x"], "expected": "ANSWERED"} for name in "ab"]
    (gate.workspace / "two.json").write_text(json.dumps(labels), encoding="utf-8")
    (gate.workspace / "one.json").write_text(json.dumps(labels[:1]), encoding="utf-8")
    assert gate.call("score", "run.jsonl", "--judgments", "two.json").code == 0
    ran = gate.call("score", "run.jsonl", "--judgments", "one.json")
    assert (ran.code, "trace-unlabelled: trace b" in ran.out, "at run.jsonl:2" in ran.out) == (1, True, True)


def test_where_nothing_was_checked_the_exit_code_is_4(gate: Gate) -> None:
    (gate.workspace / "t.json").write_text('[{"id":"q1","relevant":["a"],"hits":["b"]}]', encoding="utf-8")
    ran = gate.call("score", "t.json")
    assert ran.code == ExitCode.NOTHING_COMPARABLE
    assert ran.out.startswith("FAILED: nothing was checked")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("score", "-"), 1), (("score", LESSON, "--judgments", "-"), 2), (("score", "-", "--judgments", "-"), 2)],
    ids=["the run", "judgments that are traces", "both"],
)
def test_standard_input_is_read_once(gate: Gate, arguments: tuple[str, ...], code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "retrieval_gate", *arguments],
        cwd=gate.workspace,
        input=(gate.workspace / LESSON).read_bytes(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == code
    said = (done.stdout + done.stderr).decode("utf-8")
    assert ("(standard input):" in said) != ("one-stdin" in said)


def test_the_demo_needs_no_file_and_ends_with_its_documented_1(tmp_path: Path) -> None:
    ran = Gate(workspace=tmp_path).run("demo")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.count("why it blocks: ") == 5
    assert "R2 [simulated]" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    assert list(tmp_path.iterdir()) == []
    assert "exits 1" in Gate(workspace=tmp_path).call("demo", "--help").out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("score",), "RUN"),
        (("score", "nowhere.json"), "no such file"),
        (("score", LESSON, "--k", "0"), "a whole number from 1 to 1000"),
        (("score", LESSON, "--k", "abc"), "a whole number from 1 to 1000"),
        (("score", LESSON, "--format", "markdown"), "json"),
        (("score", LESSON, "--judgments", LESSON), "bad-traces"),
        (("score", "."), "this is a folder"),
        (("score", "x" * 5000), "can not be read"),
        (("scor", LESSON), "score"),
        (("compare", LESSON), "AFTER"),
        (("compare", LESSON, "nowhere.json"), "no such file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_mistake_exits_2_with_a_hint_and_no_traceback(gate: Gate, arguments: tuple[str, ...], hint: str) -> None:
    ran = gate.call(*arguments)
    assert ran.code == ExitCode.BAD_INPUT
    assert hint in ran.err
    assert "Traceback" not in ran.err


def test_all_problems_are_printed_with_file_line_rule_and_fix(gate: Gate) -> None:
    text = '{"id":"a","relevant":["x"],"stale":["x"],"hits":[]}\n\n{"id":"a","hits":[]}\n'
    (gate.workspace / "bad.jsonl").write_text(text, encoding="utf-8")
    ran = gate.call("score", "bad.jsonl")
    assert ran.code == ExitCode.BAD_INPUT
    lines = ran.out.splitlines()
    assert [line.split("]")[0] for line in lines] == [
        "bad.jsonl:1: error [contradictory-label",
        "bad.jsonl:3: error [missing-field",
        "bad.jsonl:3: error [duplicate-id",
    ]
    assert all("Fix: " in line for line in lines)


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_text_of_a_query_is_ever_printed(gate: Gate, form: str) -> None:
    for name in (LESSON, REPAIRED):
        path = gate.workspace / name
        traces = json.loads(path.read_text(encoding="utf-8"))
        for trace in traces["traces"]:
            trace["query"] += f" {WORD}"
        path.write_text(json.dumps(traces, ensure_ascii=False), encoding="utf-8")
    assert WORD in (gate.workspace / LESSON).read_text(encoding="utf-8")
    for arguments in (("score", LESSON), ("compare", LESSON, REPAIRED)):
        ran = gate.call(*arguments, "--format", form)
        assert ran.code == 1
        assert WORD not in ran.out + ran.err


def test_a_file_name_can_command_no_runner(gate: Gate) -> None:
    name = "::warning::x.json"
    (gate.workspace / name).write_text((gate.workspace / LESSON).read_text(encoding="utf-8"), encoding="utf-8")
    ran = gate.call("score", name)
    assert ran.code == 1
    assert "::" not in ran.out
