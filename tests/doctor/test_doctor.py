"""`retrieval-gate doctor` as it is called: real processes, its text, its JSON, its exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no stubs
import pytest

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.cli.entry import run
from tests.doctor.programs.keeper import CANARY
from tests.doctor.world import TEXTS, command, workspace
from tests.e2e.gate import ROOT, Gate, Ran

GOLDEN = ROOT / "tests/golden/doctor.txt"


def _doctor(folder: Path, retriever: str, *arguments: str) -> Ran:
    return workspace(folder).run("doctor", "--fixture", "world.json", "--retriever", retriever, *arguments)


def _json(folder: Path, retriever: str) -> tuple[int, dict[str, Any]]:
    ran = _doctor(folder, retriever, "--format", "json")
    report = json.loads(ran.out)
    jsonschema.validate(report, json.loads((ROOT / "schemas/doctor-v1.schema.json").read_text(encoding="utf-8")))
    assert report["exitCode"] == ran.code
    return ran.code, report["retrievers"][0]


def _to_fix(retriever: dict[str, Any]) -> list[str]:
    return [finding["probe"] for finding in retriever["findings"] if finding["status"] == "fix"]


def _timeless(text: str) -> str:
    """The text without its times: no two runs have the same, and lines are broken otherwise."""
    return re.sub(r"(?ms)^(ok +speed ).*?\n\n", r"\1TIMES\n\n", text)


def test_the_text_of_a_retriever_whose_ids_differ(tmp_path: Path) -> None:
    ran = _doctor(tmp_path, command("dashes"))

    assert ran.code == ExitCode.RETRIEVER_FAILED, ran.err
    assert _timeless(ran.out) == GOLDEN.read_text(encoding="utf-8")
    assert ran.err == ""
    assert not [text for text in (CANARY, *TEXTS) if text in ran.out]


def test_a_sound_program_is_ready_and_leaves_nothing(tmp_path: Path) -> None:
    ran = _doctor(tmp_path, command("none"))

    assert ran.code == ExitCode.PASS
    assert ran.out.startswith("READY: retriever (exec), 5 of 5 queries asked\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keeper.py", "world.json"]


def test_an_order_that_hangs_on_the_hash_seed_is_seen_in_a_fresh_process_only(tmp_path: Path) -> None:
    code, retriever = _json(tmp_path, "python:keeper:hash_order")
    found = next(finding for finding in retriever["findings"] if finding["probe"] == "repeatable")

    assert (code, _to_fix(retriever)) == (ExitCode.RETRIEVER_FAILED, ["repeatable"])
    assert found["what"].startswith("asked in a fresh process: ")


@pytest.mark.parametrize("retriever", ["python:keeper:dies", command("dies")], ids=["python", "exec"])
def test_a_retriever_that_dies_is_told_of_with_the_query_at_which_it_did(tmp_path: Path, retriever: str) -> None:
    code, told = _json(tmp_path, retriever)
    answers = next(finding for finding in told["findings"] if finding["probe"] == "answers")

    assert (code, _to_fix(told)) == (ExitCode.RETRIEVER_FAILED, ["answers"])
    assert answers["what"].startswith("2 of 5 questions answered, then it failed: [process-died]")
    assert answers["queries"] == ["q-bus"]


def test_one_that_can_not_be_opened_is_told_why(tmp_path: Path) -> None:
    code, told = _json(tmp_path, "python:nowhere:search")

    assert (code, _to_fix(told)) == (ExitCode.RETRIEVER_FAILED, ["reachable"])
    assert told["findings"][0]["what"] == "[not-importable] the module nowhere is missing"
    assert {finding["status"] for finding in told["findings"][1:]} == {"not-checked"}
    assert told["timing"] == {"openingMs": None, "medianMs": None, "p95Ms": None}


def test_the_embedded_engine_is_ready_where_it_is_asked_by_who_may_not_see(tmp_path: Path) -> None:
    ran = Gate(workspace=ROOT).run(
        "doctor", "--config", "fixtures/synthetic-access-v1.toml", "--ablations", "hybrid"
    )

    assert ran.code == ExitCode.PASS, ran.out
    assert re.findall(r"^(\S+) +(principals|as-of|repeatable|changes) ", ran.out, re.MULTILINE) == [
        ("ok", "principals"),
        ("ok", "as-of"),
        ("ok", "repeatable"),
        ("ok", "changes"),
    ]


def test_configured_ablations_are_examined_in_turn_recordings_as_far_as_they_go(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    assert gate.run("record", "--fixture", "world.json", "--retriever", command("none"), "--out", "r").code == 0
    (tmp_path / "retrieval-gate.toml").write_text(
        'fixture = "world.json"\n[[ablations]]\nid = "kept"\nretriever = "replay:r"\n'
        f'[[ablations]]\nid = "live"\nretriever = {json.dumps(command("blind-to-times"))}\n',
        encoding="utf-8",
    )
    ran = gate.run("doctor")

    kept, live = ran.out.split("\nFIX 1: live (exec)")
    assert ran.code == ExitCode.RETRIEVER_FAILED
    assert kept.startswith("READY: kept (replay), 5 of 5 queries asked\n")
    assert "not checked  repeatable  one recording answers every time\n" in kept
    assert "not checked  speed       recorded answers take no time\n" in kept
    assert " 1. as-of: " in live


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--retriever", "exce:node x.mjs"), "the nearest is exec"),
        (("--retriever", "exec:no-such-program-here"), "[no-program]"),
        (("--retriever", "python:keeper"), "[no-attribute]"),
        (("--retriever", "python:keeper:none", "--ablations", "hybrid"), "choose from retriever"),
    ],
)
def test_a_mistake_exits_2_with_a_hint(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    hint: str,
) -> None:
    workspace(tmp_path)
    monkeypatch.chdir(tmp_path)

    assert run(["doctor", "--fixture", "world.json", *arguments]) == ExitCode.BAD_INPUT
    shown = capsys.readouterr()
    assert shown.out == ""
    assert hint in shown.err


def test_a_run_of_a_retriever_that_takes_no_documents_says_that_they_are_expected(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    (tmp_path / "retrieval-gate.toml").write_text(
        'fixture = "world.json"\ngates = []\n[[ablations]]\nid = "mine"\n'
        f"retriever = {json.dumps(command('none'))}\n",
        encoding="utf-8",
    )
    ran, report = gate.report("--allow-missing-baseline")

    assert "documents-expected-to-be-in-the-retriever-already" in report["scope"]["notChecked"]
    assert "documents expected to be in the retriever already" in " ".join(ran.out.split())
    said = " ".join(ran.out.split())
    assert "non-interference: n 0" in said
    assert "have the retriever offer seed, update, delete and revoke" in said


def test_a_run_of_the_embedded_engine_says_nothing_of_the_kind(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    _, report = gate.report("--fixture", "world.json", "--allow-missing-baseline", "--ablations", "lexical")
    assert report["scope"]["notChecked"] == ["claim-support", "production-authorisation"]
