"""A Python retriever through the installed command: what was measured stays, nothing private leaves."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.gate import BASELINE, FIXTURE, Ran, workspace

SECRET = "severance-for-the-manager"
CONFIG = f"""
fixture = "{FIXTURE}"
metrics = ["recall@5"]
[[ablations]]
id = "mine"
retriever = "python:mine:search"
timeout = 2.0
[ablations.python]
python-path = ["code"]
[[gates]]
ablation = "mine"
metric = "recall@5"
min = 0.5
"""
# A module that finds what was judged; `FAILING` is the sixth query.
KNOWING = f"""
import json, os, sys, threading
with open({FIXTURE!r}, encoding="utf-8") as file:
    fixture = json.load(file)
judged = {{query["query"]: [one["chunkId"] for one in query["judgments"]] for query in fixture["queries"]}}
FAILING = list(judged)[5]
"""


def _gate_over(folder: Path, source: str) -> tuple[Ran, dict[str, Any]]:
    gate = workspace(folder)
    (folder / BASELINE).unlink()
    (folder / "retrieval-gate.toml").write_text(CONFIG, encoding="utf-8")
    (folder / "code").mkdir()
    (folder / "code" / "mine.py").write_text(KNOWING + textwrap.dedent(source), encoding="utf-8")
    ran = gate.run("run", "--report", "report.json", "--allow-missing-baseline")
    return ran, json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_a_function_that_finds_everything_passes(tmp_path: Path) -> None:
    ran, _ = _gate_over(tmp_path, "def search(query): return judged[query]")

    assert (ran.code, ran.err) == (0, "")


def test_one_that_finds_nothing_fails_the_gate(tmp_path: Path) -> None:
    assert _gate_over(tmp_path, "def search(query): return []")[0].code == 1


def test_what_it_prints_is_no_message_and_no_workflow_command(tmp_path: Path) -> None:
    ran, _ = _gate_over(
        tmp_path,
        f"""
        print("::error::{SECRET}")
        def search(query):
            print('["finished"]', flush=True)
            os.write(1, b"::error::{SECRET}\\n")
            print("{SECRET}", file=sys.stderr)
            return judged[query]
        """,
    )

    assert (ran.code, ran.err) == (0, "")
    assert SECRET not in ran.out


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        (f"raise ValueError(query + '{SECRET}')", "retriever-raised"),
        (f"sys.exit('{SECRET}')", "retriever-exited"),
        ("threading.Event().wait()", "timeout"),
        (f"return [{{'{SECRET}': query}}]", "unknown-shape"),
        (f"return ['{SECRET}']", "unknown-id"),
        ("os._exit(3)", "process-died"),
        ("threading.Thread(target=threading.Event().wait).start(); return None", "unknown-shape"),
    ],
)
def test_what_was_measured_before_a_failure_is_kept_and_is_never_green(
    tmp_path: Path, statement: str, code: str
) -> None:
    ran, report = _gate_over(
        tmp_path,
        f"""
        def search(query):
            if query == FAILING: {statement}
            return judged[query]
        """,
    )
    failing = json.loads((tmp_path / FIXTURE).read_text(encoding="utf-8"))["queries"][5]["query"]
    said = ran.out + ran.err + json.dumps(report, ensure_ascii=False)

    assert ran.code == 5
    assert [failure["code"] for failure in report["retrieverFailures"]] == [code] * 2
    # Five queries had been answered, all with what was judged.
    assert report["diagnostics"]["latency"][0]["count"] == 5
    assert [row["value"] for row in report["rows"] if row["slice"] == "all"] == [
        5 / report["fixture"]["answerable"]
    ]
    assert not any(text in said for text in (SECRET, failing))


def test_a_module_that_can_not_be_imported_is_told(tmp_path: Path) -> None:
    ran, report = _gate_over(tmp_path, "import no_such_module")

    assert ran.code == 5
    assert [failure["code"] for failure in report["retrieverFailures"]] == ["not-importable"] * 2
    assert "no_such_module" in ran.out + ran.err
