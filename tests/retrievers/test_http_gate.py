"""A retriever behind a server, through the installed command: what was measured stays, nothing private leaves."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.gate import BASELINE, FIXTURE, Ran, workspace
from tests.retrievers.servers import Behaviour, Conversation, Server, greeting, serving

SECRET = "s3cret-of-the-test"
CONFIG = """
fixture = "{fixture}"
metrics = ["recall@5"]
[[ablations]]
id = "mine"
retriever = "{url}"
concurrency = 2
[ablations.http]
headers = {{ authorization = "Bearer {{env.GATE_TEST_TOKEN}}" }}
[[gates]]
ablation = "mine"
metric = "recall@5"
min = 0.5
"""


def judged(folder: Path) -> dict[str, list[str]]:
    """The chunks that answer each query of the fixture, by its text."""
    fixture = json.loads((folder / FIXTURE).read_text(encoding="utf-8"))
    return {query["query"]: [one["chunkId"] for one in query["judgments"]] for query in fixture["queries"]}


def found_by(answers: dict[str, list[str]]) -> Behaviour:
    return greeting(lambda talk: talk.answer(*answers[talk.received.body["query"]]))


def gate_over(folder: Path, server: Server, env: dict[str, str] | None = None) -> tuple[Ran, dict[str, Any]]:
    gate = workspace(folder)
    config = CONFIG.format(fixture=FIXTURE, url=server.url)
    (folder / BASELINE).unlink()
    (folder / "retrieval-gate.toml").write_text(config, encoding="utf-8")
    token = {"GATE_TEST_TOKEN": SECRET} if env is None else env
    ran = gate.run("run", "--report", "report.json", "--allow-missing-baseline", env=token)
    path = folder / "report.json"
    return ran, json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


@pytest.fixture
def answers(tmp_path: Path) -> dict[str, list[str]]:
    workspace(tmp_path)
    return judged(tmp_path)


def test_a_server_that_finds_everything_passes(tmp_path: Path, answers: dict[str, list[str]]) -> None:
    with serving(found_by(answers)) as server:
        ran, report = gate_over(tmp_path, server)

    assert (ran.code, ran.err) == (0, "")
    assert {query.headers["authorization"] for query in server.queries} == {f"Bearer {SECRET}"}
    assert len(server.queries) == 2 * len(answers)
    assert SECRET not in ran.out + json.dumps(report)


def test_a_server_that_finds_nothing_fails_the_gate(tmp_path: Path) -> None:
    with serving(greeting(lambda talk: talk.answer())) as server:
        ran, _ = gate_over(tmp_path, server)

    assert ran.code == 1


def test_what_was_measured_before_a_failure_is_kept_and_is_never_green(
    tmp_path: Path, answers: dict[str, list[str]]
) -> None:
    failing = list(answers)[5]

    def behave(talk: Conversation) -> None:
        if talk.received.body["query"] == failing:
            talk.reply({"text": f"{failing} {SECRET}"}, 500, f"X-Echo: {SECRET}")
        else:
            talk.answer(*answers[talk.received.body["query"]])

    with serving(greeting(behave)) as server:
        ran, report = gate_over(tmp_path, server)

    said = ran.out + ran.err + json.dumps(report, ensure_ascii=False)
    assert ran.code == 5
    assert [failure["code"] for failure in report["retrieverFailures"]] == ["http-status"] * 2
    # Five queries had been answered, all with what was judged.
    assert report["diagnostics"]["latency"][0]["count"] == 5
    assert [row["value"] for row in report["rows"] if row["slice"] == "all"] == [
        5 / report["fixture"]["answerable"]
    ]
    assert not any(text in said for text in (SECRET, failing, "127.0.0.1"))


def test_a_secret_that_is_not_there_is_named_before_anything_is_asked(tmp_path: Path) -> None:
    assert "GATE_TEST_TOKEN" not in os.environ
    with serving(greeting(lambda talk: talk.answer())) as server:
        ran, report = gate_over(tmp_path, server, {})

    assert (ran.code, report, server.requests) == (2, {}, [])
    assert "unset-variable" in ran.err
    assert "GATE_TEST_TOKEN" in ran.err
