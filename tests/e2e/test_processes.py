"""The installed command over `exec:` and `mcp:`: what they do wrong is exit 5, and nothing of it is seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.gate import Gate
from tests.retrievers.asking import python_program

PRIVATE = "the purple heron invoice"
TEXT = "A lost key costs ten euros."


def _workspace(folder: Path, retriever: str) -> Gate:
    """Two questions that chunk k1 answers and one that nothing does, of one ablation."""
    judgments = [{"chunkId": "k1", "relevance": 3, "spans": [{"text": TEXT}]}]
    answerable = {"language": "en", "query": f"{PRIVATE}?", "noAnswer": False, "judgments": judgments}
    fixture = {
        "schema": "retrieval-gate/fixture/v1",
        "id": "small",
        "version": 1,
        "provenance": {"kind": "synthetic", "license": "CC0-1.0"},
        "documents": [
            {"id": "keys", "title": PRIVATE, "language": "en", "chunks": [{"id": "k1", "content": TEXT}]}
        ],
        "queries": [
            {"id": "q1"} | answerable,
            {"id": "q2"} | answerable | {"query": f"{PRIVATE} again?"},
            {"id": "q3", "language": "en", "query": f"{PRIVATE} no more?", "noAnswer": True, "judgments": []},
        ],
    }
    (folder / "fixture.json").write_text(json.dumps(fixture), encoding="utf-8")
    configuration = f"""
fixture = "fixture.json"
metrics = ["recall@5"]

[[ablations]]
id = "mine"
retriever = {json.dumps(retriever)}

[[gates]]
ablation = "mine"
metric = "recall@5"
min = 1.0
"""
    (folder / "retrieval-gate.toml").write_text(configuration, encoding="utf-8")
    return Gate(workspace=folder)


def _recall(report: dict[str, Any]) -> tuple[float, int]:
    found = [row for row in report["rows"] if (row["slice"], row["metric"]) == ("all", "recall@5")]
    return found[0]["value"], found[0]["n"]


PROGRAMS = (("exec", "misbehaving.py"), ("mcp", "mcp_misbehaving.py"))


@pytest.mark.parametrize(("scheme", "program"), PROGRAMS)
def test_a_retriever_that_behaves_is_measured(scheme: str, program: str, tmp_path: Path) -> None:
    gate = _workspace(tmp_path, python_program(scheme, program, "none"))
    ran, report = gate.report("--allow-missing-baseline")

    assert (ran.code, ran.err) == (0, "")
    assert report["retrieverFailures"] == []
    assert _recall(report) == (1.0, 2)


@pytest.mark.parametrize(
    ("scheme", "program", "behaviour", "code"),
    [
        ("exec", "misbehaving.py", "commands", "not-json"),
        ("exec", "misbehaving.py", "unknown-id", "unknown-id"),
        ("mcp", "mcp_misbehaving.py", "banner", "not-json"),
        ("mcp", "mcp_misbehaving.py", "tool-error", "mcp-tool-error"),
    ],
)
def test_what_was_measured_before_a_failure_is_kept_and_nothing_private_is_seen(
    scheme: str, program: str, behaviour: str, code: str, tmp_path: Path
) -> None:
    gate = _workspace(tmp_path, python_program(scheme, program, behaviour))
    ran, report = gate.report("--allow-missing-baseline", "--report", "github:annotations.txt")

    assert (ran.code, report["exitCode"]) == (5, 5)
    assert [failure["code"] for failure in report["retrieverFailures"]] == [code, code]
    assert "at query q2" in ran.out
    assert _recall(report) == (0.5, 2)
    for path in sorted(tmp_path.glob("*.*")):
        if path.name not in ("fixture.json", "retrieval-gate.toml"):
            text = path.read_text(encoding="utf-8")
            assert [found for found in ("canary", PRIVATE, TEXT) if found in text + ran.out + ran.err] == []


def test_a_program_that_is_not_there_is_refused_before_anything_runs(tmp_path: Path) -> None:
    ran = _workspace(tmp_path, "exec:no-such-program-hunter2 --token hunter2").run(
        "run", "--allow-missing-baseline"
    )

    assert ran.code == 2
    assert "no-program" in ran.out + ran.err
    assert "hunter2" not in ran.out + ran.err
