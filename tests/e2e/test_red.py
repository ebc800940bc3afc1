"""Faults in an engine or a fixture are red, with the right code, and named: query, stage, file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.gate import BASELINE, FIXTURE, Gate, with_fault, workspace

# A fault in the engine, put into a copy of its source: file, what stands there, what stands there instead.
SWAPPED = (
    "engine/service.py",
    "final.positions[: request.k].tolist()",
    "(lambda at: at[1::-1] + at[2:])(final.positions[: request.k].tolist())",
)
CUT_CONTEXT = ("engine/context.py", "end = min(chunk.length, left)", "end = min(chunk.length, left) // 2")
WITHHELD = (
    "engine/service.py",
    "final.positions[: request.k].tolist()",
    "[at for at in final.positions[: request.k].tolist() if view.corpus.chunks[at].id != 'offline-search#0']",
)
TIES = (
    "engine/ranking.py",
    "order = np.lexsort((positions, -scores))[:depth]",
    "order = np.lexsort((np.random.default_rng().permutation(len(positions)), -scores))[:depth]",
)


def _failures(gate: Gate) -> list[dict[str, Any]]:
    report = json.loads((gate.workspace / "report.json").read_text(encoding="utf-8"))
    return [verdict for verdict in report["verdicts"] if verdict["status"] == "failed"]


def _run(folder: Path, fault: tuple[str, str, str]) -> tuple[Gate, str, int]:
    file, old, new = fault
    gate = with_fault(folder, file=file, old=old, new=new)
    ran = gate.run("run", "--report", "report.json")
    return gate, ran.out, ran.code


def test_the_twin_without_a_fault_is_green(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    ran = gate.run("run", "--report", "report.json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("PASSED")
    assert _failures(gate) == []


def test_two_judged_ranks_swapped_name_query_ranks_and_stage(tmp_path: Path) -> None:
    gate, out, code = _run(tmp_path, SWAPPED)
    assert code == 1
    found = [failure for failure in _failures(gate) if failure["kind"] == "rank-worsened"]
    first = found[0]
    assert (first["oldRank"], first["newRank"], first["stage"]) == (1, 2, "cut-off")
    assert first["query"] in out
    assert "cut-off" in out


def test_a_span_cut_from_the_context_names_query_and_stage(tmp_path: Path) -> None:
    gate, out, code = _run(tmp_path, CUT_CONTEXT)
    assert code == 1
    found = [failure for failure in _failures(gate) if failure["kind"] == "span-lost"]
    assert {failure["stage"] for failure in found} == {"context"}
    assert found[0]["query"] in out


def test_a_relevant_chunk_withheld_names_query_chunk_and_stage(tmp_path: Path) -> None:
    gate, out, code = _run(tmp_path, WITHHELD)
    assert code == 1
    found = [failure for failure in _failures(gate) if failure["kind"] == "relevant-left-cut-off"]
    assert {unit for failure in found for unit in failure["units"]} == {"offline-search#0"}
    assert {failure["stage"] for failure in found} == {"cut-off"}
    assert "offline-search#0" in out


def test_a_tie_order_chosen_once_per_process_is_not_deterministic(tmp_path: Path) -> None:
    _, out, code = _run(tmp_path, TIES)
    assert code == 3
    assert "tie" in out


def test_an_inexact_span_is_named_with_its_line_and_never_quoted(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    fixture = json.loads((tmp_path / FIXTURE).read_text(encoding="utf-8"))
    fixture["queries"][0]["judgments"][0]["spans"][0]["text"] = "words that the chunk does not hold"
    # The place is the span's own, whose brace stands on the line before its text.
    line = _save(tmp_path / FIXTURE, fixture, find="words that the chunk does not hold") - 1
    ran = gate.run("run")
    assert ran.code == 2
    assert f"{FIXTURE}:{line}: error [inexact-span] /queries/0/judgments/0/spans/0" in ran.out
    assert "words that" not in ran.out + ran.err


def test_a_chunk_removed_that_a_judgment_names_is_named_with_the_line_of_the_judgment(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    fixture = json.loads((tmp_path / FIXTURE).read_text(encoding="utf-8"))
    removed = fixture["queries"][0]["judgments"][0]["chunkId"]
    for document in fixture["documents"]:
        document["chunks"] = [chunk for chunk in document["chunks"] if chunk["id"] != removed]
    line = _save(tmp_path / FIXTURE, fixture, find=f'"chunkId": "{removed}"')
    ran = gate.run("run")
    assert ran.code == 2
    assert f"{FIXTURE}:{line}: error [dangling-reference]" in ran.out


def _save(path: Path, fixture: object, *, find: str) -> int:
    """Write the fixture; the line (from 1) on which `find` first stands."""
    text = json.dumps(fixture, ensure_ascii=False, indent=1)
    path.write_text(text, encoding="utf-8")
    return text[: text.index(find)].count("\n") + 1


def test_a_grade_changed_without_acceptance_is_a_label_edited(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    _change_first_grade(tmp_path / FIXTURE)
    ran = gate.run("run", "--report", "report.json")
    assert ran.code == 1
    failure = _failures(gate)[0]
    assert failure["kind"] == "label-edited"
    assert failure["query"] == json.loads((tmp_path / FIXTURE).read_text(encoding="utf-8"))["queries"][0]["id"]
    assert "label-edited" in ran.out
    assert gate.run("baseline", "accept", "--reason", "the second reviewer was right").code == 0
    assert gate.run("run").code == 0


def _change_first_grade(path: Path) -> None:
    fixture = json.loads(path.read_text(encoding="utf-8"))
    judgment = fixture["queries"][0]["judgments"][0]
    judgment["relevance"] = 1 if judgment["relevance"] == 3 else 3
    path.write_text(json.dumps(fixture, ensure_ascii=False, indent=1), encoding="utf-8")


def test_a_missing_baseline_is_nothing_comparable_and_says_the_command(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    (tmp_path / BASELINE).unlink()
    ran = gate.run("run")
    assert ran.code == 4
    assert "retrieval-gate baseline accept" in ran.out
    assert gate.run("run", "--allow-missing-baseline").code == 0
    assert not (tmp_path / BASELINE).exists()


@pytest.mark.parametrize("fault", [SWAPPED, TIES], ids=["red", "not-deterministic"])
def test_a_red_run_writes_its_report_all_the_same(tmp_path: Path, fault: tuple[str, str, str]) -> None:
    gate, _, code = _run(tmp_path, fault)
    assert code != 0
    assert json.loads((gate.workspace / "report.json").read_text(encoding="utf-8"))["exitCode"] == code


def test_a_run_that_can_not_stand_as_a_baseline_is_refused_and_the_old_one_stays(tmp_path: Path) -> None:
    gate = with_fault(tmp_path, file=TIES[0], old=TIES[1], new=TIES[2])
    before = (gate.workspace / BASELINE).read_bytes()
    ran = gate.run("baseline", "accept", "--reason", "x")
    assert ran.code == 3
    assert "not-deterministic" in ran.err
    assert (gate.workspace / BASELINE).read_bytes() == before


def test_a_crash_in_the_engine_exits_70_without_any_text(tmp_path: Path) -> None:
    crash = ("engine/service.py", "final = stages[-1][1]", "final = {}[request.query]")
    gate = with_fault(tmp_path, file=crash[0], old=crash[1], new=crash[2])
    ran = gate.run("run")
    assert ran.code == 70
    assert "KeyError" in ran.err
    assert "service.py" in ran.err
    queries = json.loads((gate.workspace / FIXTURE).read_text(encoding="utf-8"))["queries"]
    assert [query["id"] for query in queries if query["query"] in ran.out + ran.err] == []


def test_a_worker_killed_before_it_answers_exits_70_and_leaves_no_folder(tmp_path: Path) -> None:
    order = "order = receive(sys.stdin.buffer, kind)"
    killed = f"os.kill(os.getpid(), signal.SIGKILL)\n        {order}"
    gate = with_fault(tmp_path, file="evaluation/serving.py", old=order, new=killed)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    ran = gate.run("run", env={"TMPDIR": str(temporary)})
    assert ran.code == 70
    assert "worker-died" in ran.err
    assert list(temporary.iterdir()) == []


def test_a_broken_import_exits_70_not_1(tmp_path: Path) -> None:
    gate = with_fault(
        tmp_path, file="app.py", old="from dataclasses import dataclass, replace", new="import nothing_here"
    )
    ran = gate.run("run")
    assert ran.code == 70
    assert "ModuleNotFoundError" in ran.err
