"""Faults in an engine or a fixture are red, with the right code, and named: query, stage, file and line."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.gate import BASELINE, FIXTURE, Gate, Ran, with_fault
from tests.e2e.small import small

# A fault in the engine, put into a copy of its source: file, what stands there, what stands there instead.
Fault = tuple[str, str, str]
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
    return [verdict for verdict in gate.read("report.json")["verdicts"] if verdict["status"] == "failed"]


def _faulty(folder: Path, fault: Fault) -> Gate:
    file, old, new = fault
    return with_fault(folder, file=file, old=old, new=new, make=small)


@pytest.fixture(scope="module")
def red(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Fault], tuple[Gate, Ran]]:
    """A run with a fault, and its workspace; made once for all tests that look at it."""

    @cache
    def made(fault: Fault) -> tuple[Gate, Ran]:
        gate = _faulty(tmp_path_factory.mktemp("red"), fault)
        return gate, gate.call("run", "--report", "report.json")

    return made


Red = Callable[[Fault], tuple[Gate, Ran]]


def test_the_twin_without_a_fault_is_green(committed_run: tuple[Gate, Ran], tmp_path: Path) -> None:
    """The whole fixture, and the part of it that the faults are put under."""
    part = small(tmp_path)
    for gate, ran in (committed_run, (part, part.call("run", "--report", "report.json"))):
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith("PASSED")
        assert _failures(gate) == []


@pytest.mark.once
def test_two_judged_ranks_swapped_name_query_ranks_and_stage(red: Red) -> None:
    gate, ran = red(SWAPPED)
    assert ran.code == 1
    found = [failure for failure in _failures(gate) if failure["kind"] == "rank-worsened"]
    first = found[0]
    assert (first["oldRank"], first["newRank"], first["stage"]) == (1, 2, "cut-off")
    assert first["query"] in ran.out
    assert "cut-off" in ran.out


@pytest.mark.once
def test_a_span_cut_from_the_context_names_query_and_stage(red: Red) -> None:
    gate, ran = red(CUT_CONTEXT)
    assert ran.code == 1
    found = [failure for failure in _failures(gate) if failure["kind"] == "span-lost"]
    assert {failure["stage"] for failure in found} == {"context"}
    assert found[0]["query"] in ran.out


@pytest.mark.once
def test_a_relevant_chunk_withheld_names_query_chunk_and_stage(red: Red) -> None:
    gate, ran = red(WITHHELD)
    assert ran.code == 1
    found = [failure for failure in _failures(gate) if failure["kind"] == "relevant-left-cut-off"]
    assert {unit for failure in found for unit in failure["units"]} == {"offline-search#0"}
    assert {failure["stage"] for failure in found} == {"cut-off"}
    assert "offline-search#0" in ran.out


def test_a_tie_order_chosen_once_per_process_is_not_deterministic(red: Red) -> None:
    _, ran = red(TIES)
    assert ran.code == 3
    assert "tie" in ran.out


def test_an_inexact_span_is_named_with_its_line_and_never_quoted(tmp_path: Path) -> None:
    gate = small(tmp_path)
    fixture = json.loads((tmp_path / FIXTURE).read_text(encoding="utf-8"))
    fixture["queries"][0]["judgments"][0]["spans"][0]["text"] = "words that the chunk does not hold"
    # The place is the span's own, whose brace stands on the line before its text.
    line = _save(tmp_path / FIXTURE, fixture, find="words that the chunk does not hold") - 1
    ran = gate.call("run")
    assert ran.code == 2
    assert f"{FIXTURE}:{line}: error [inexact-span] /queries/0/judgments/0/spans/0" in ran.out
    assert "words that" not in ran.out + ran.err


def test_a_chunk_removed_that_a_judgment_names_is_named_with_the_line_of_the_judgment(tmp_path: Path) -> None:
    gate = small(tmp_path)
    fixture = json.loads((tmp_path / FIXTURE).read_text(encoding="utf-8"))
    removed = fixture["queries"][0]["judgments"][0]["chunkId"]
    for document in fixture["documents"]:
        document["chunks"] = [chunk for chunk in document["chunks"] if chunk["id"] != removed]
    line = _save(tmp_path / FIXTURE, fixture, find=f'"chunkId": "{removed}"')
    ran = gate.call("run")
    assert ran.code == 2
    assert f"{FIXTURE}:{line}: error [dangling-reference]" in ran.out


def _save(path: Path, fixture: object, *, find: str) -> int:
    """Write the fixture; the line (from 1) on which `find` first stands."""
    text = json.dumps(fixture, ensure_ascii=False, indent=1)
    path.write_text(text, encoding="utf-8")
    return text[: text.index(find)].count("\n") + 1


@pytest.mark.once
def test_a_grade_changed_without_acceptance_is_a_label_edited(tmp_path: Path) -> None:
    gate = small(tmp_path)
    _change_first_grade(tmp_path / FIXTURE)
    ran = gate.call("run", "--report", "report.json")
    assert ran.code == 1
    failure = _failures(gate)[0]
    assert failure["kind"] == "label-edited"
    assert failure["query"] == json.loads((tmp_path / FIXTURE).read_text(encoding="utf-8"))["queries"][0]["id"]
    assert "label-edited" in ran.out
    assert gate.call("baseline", "accept", "--reason", "the second reviewer was right").code == 0
    assert gate.call("run").code == 0


def _change_first_grade(path: Path) -> None:
    fixture = json.loads(path.read_text(encoding="utf-8"))
    judgment = fixture["queries"][0]["judgments"][0]
    judgment["relevance"] = 1 if judgment["relevance"] == 3 else 3
    path.write_text(json.dumps(fixture, ensure_ascii=False, indent=1), encoding="utf-8")


@pytest.mark.once
def test_a_missing_baseline_is_nothing_comparable_and_says_the_command(tmp_path: Path) -> None:
    gate = small(tmp_path)
    (tmp_path / BASELINE).unlink()
    ran = gate.call("run")
    assert ran.code == 4
    assert "retrieval-gate baseline accept" in ran.out
    assert gate.call("run", "--allow-missing-baseline").code == 0
    assert not (tmp_path / BASELINE).exists()


@pytest.mark.once
@pytest.mark.parametrize("fault", [SWAPPED, TIES], ids=["red", "not-deterministic"])
def test_a_red_run_writes_its_report_all_the_same(red: Red, fault: Fault) -> None:
    gate, ran = red(fault)
    assert ran.code != 0
    assert gate.read("report.json")["exitCode"] == ran.code


@pytest.mark.once
def test_a_run_that_can_not_stand_as_a_baseline_is_refused_and_the_old_one_stays(tmp_path: Path) -> None:
    gate = _faulty(tmp_path, TIES)
    before = (gate.workspace / BASELINE).read_bytes()
    ran = gate.call("baseline", "accept", "--reason", "x")
    assert ran.code == 3
    assert "not-deterministic" in ran.err
    assert (gate.workspace / BASELINE).read_bytes() == before


def test_a_crash_in_the_engine_exits_70_without_any_text(tmp_path: Path) -> None:
    gate = _faulty(tmp_path, ("engine/service.py", "final = stages[-1][1]", "final = {}[request.query]"))
    ran = gate.run("run")
    assert ran.code == 70
    assert "KeyError" in ran.err
    assert "service.py" in ran.err
    queries = json.loads((gate.workspace / FIXTURE).read_text(encoding="utf-8"))["queries"]
    assert [query["id"] for query in queries if query["query"] in ran.out + ran.err] == []


def test_a_worker_killed_before_it_answers_exits_70_and_leaves_no_folder(tmp_path: Path) -> None:
    order = "order = receive(sys.stdin.buffer, kind)"
    killed = f"os.kill(os.getpid(), signal.SIGKILL)\n        {order}"
    gate = _faulty(tmp_path, ("evaluation/serving.py", order, killed))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    ran = gate.run("run", env={"TMPDIR": str(temporary)})
    assert ran.code == 70
    assert "worker-died" in ran.err
    assert list(temporary.iterdir()) == []


def test_a_broken_import_exits_70_not_1(tmp_path: Path) -> None:
    gate = _faulty(tmp_path, ("app.py", "from dataclasses import dataclass, replace", "import nothing_here"))
    ran = gate.run("run")
    assert ran.code == 70
    assert "ModuleNotFoundError" in ran.err
