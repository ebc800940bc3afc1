"""Canaries in every text of a fixture and a configuration; none is found in anything that the gate says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from retrieval_gate.report.outputs.table import OUTPUTS
from tests.e2e.gate import BASELINE, FIXTURE, Gate, with_fault
from tests.e2e.small import small

# Words that stand nowhere else, one for each kind of text.
CANARIES = {
    "title": "zitrone",
    "content": "walfisch",
    "query": "kartoffel",
    "span": "laterne",
    "note": "gewitter",
    "alias": "zwiebel",
    "reason": "nachtigall",
}


def _plant(gate: Gate) -> None:
    path = gate.workspace / FIXTURE
    fixture = json.loads(path.read_text(encoding="utf-8"))
    for document in fixture["documents"]:
        document["title"] += f" {CANARIES['title']}"
        for chunk in document["chunks"]:
            chunk["content"] += f" {CANARIES['content']} {CANARIES['span']}"
    for query in fixture["queries"]:
        query["query"] += f" {CANARIES['query']}"
        for judgment in query["judgments"]:
            judgment["spans"].append({"text": CANARIES["span"]})
    path.write_text(json.dumps(fixture, ensure_ascii=False), encoding="utf-8")
    config = gate.workspace / "retrieval-gate.toml"
    text = config.read_text(encoding="utf-8")
    text = text.replace('note = "', f'note = "{CANARIES["note"]} ')
    config.write_text(f'{text}\n"planted" = ["{CANARIES["alias"]}", "{CANARIES["query"]}"]\n', encoding="utf-8")


def _found(*texts: str) -> set[str]:
    return {name for name, word in CANARIES.items() if any(word in text.casefold() for text in texts)}


def _files(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()]


def test_the_canaries_are_found_where_they_were_put(tmp_path: Path) -> None:
    gate = small(tmp_path)
    _plant(gate)
    assert _found(*_files(tmp_path)) == set(CANARIES) - {"reason"}


@pytest.mark.once
def test_no_output_and_no_file_holds_a_text(tmp_path: Path) -> None:
    gate = small(tmp_path)
    _plant(gate)
    reports = [part for row in OUTPUTS for part in ("--report", f"{row.id}:out/report.{row.id}")]
    ran = gate.call("run", *reports)
    assert ran.code == 1, ran.err  # every label was edited
    files = _files(tmp_path / "out")
    assert len(files) == len(OUTPUTS) + 1  # and the baseline that this run would make
    assert min(map(len, files)) > 0
    assert _found(ran.out, ran.err, *files) == set()


def test_no_problem_of_a_fixture_quotes_it(tmp_path: Path) -> None:
    gate = small(tmp_path)
    _plant(gate)
    path = gate.workspace / FIXTURE
    fixture: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    fixture[CANARIES["title"]] = CANARIES["content"]
    fixture["documents"][0]["title"] = 7
    fixture["documents"][1][f"{CANARIES['content']} of"] = "x"
    fixture["queries"][0]["query"] = f"{CANARIES['query']} /home/{CANARIES['query']}/file"
    fixture["queries"][1]["judgments"][0]["spans"][0]["text"] = f"{CANARIES['span']} {CANARIES['span']}"
    fixture["queries"][2]["language"] = f"{CANARIES['query']} {CANARIES['query']}"
    path.write_text(json.dumps(fixture, ensure_ascii=False), encoding="utf-8")
    ran = gate.call("check", FIXTURE)
    assert ran.code == 2
    assert _found(ran.out.replace(f"/{CANARIES['title']} ", ""), ran.err) <= {"title"}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("engine/service.py", "final = stages[-1][1]", "raise ValueError(request.query)"),
        ("app.py", "    plan = make_plan(", "    raise ValueError(str(loaded.fixture))\n    plan = make_plan("),
        ("evaluation/evaluate.py", "    seen = _Seen()", "    raise ValueError(repr(plan))"),
    ],
    ids=["in a worker", "in the gate", "between"],
)
def test_no_crash_quotes_a_text(tmp_path: Path, file: str, old: str, new: str) -> None:
    gate = with_fault(tmp_path, file=file, old=old, new=new, make=small)
    _plant(gate)
    ran = gate.run("run", "--report", "report.json")
    assert ran.code == 70
    assert "ValueError" in ran.err
    assert _found(ran.out, ran.err) == set()
    assert not (gate.workspace / "report.json").exists()


def test_a_crash_says_where_it_was(tmp_path: Path) -> None:
    crash = "raise ValueError(request.query)"
    gate = with_fault(tmp_path, file="engine/service.py", old="final = stages[-1][1]", new=crash, make=small)
    ran = gate.run("run")
    assert "service.py:" in ran.err
    assert "please report" in ran.err or "report it" in ran.err


@pytest.mark.once
def test_the_reason_stands_in_baselines_only(tmp_path: Path) -> None:
    gate = small(tmp_path)
    assert gate.call("baseline", "accept", "--reason", f"the {CANARIES['reason']} sang").code == 0
    ran = gate.call("run", "--report", "out/report.json")
    assert ran.code == 0
    report = (tmp_path / "out" / "report.json").read_text(encoding="utf-8")
    assert _found(ran.out, ran.err, report) == set()
    assert (tmp_path / "out" / "report.baseline.jsonl").read_bytes() == (tmp_path / BASELINE).read_bytes()
