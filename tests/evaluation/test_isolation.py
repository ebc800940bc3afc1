"""A run reads no network, foreign database or environment setting; a worker is heard by its messages alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path

import pytest

from retrieval_gate.base.record import Observation
from retrieval_gate.evaluation.wire import Message
from retrieval_gate.evaluation.worker import work
from tests.e2e.gate import BASELINE, Gate, replace_once, with_fault, workspace
from tests.e2e.small import small
from tests.evaluation.scripted import order, plan
from tests.evaluation.watched import large_fixture, watched

named_pipes = pytest.mark.skipif(os.name == "nt", reason="needs named pipes")

RUN = ("-m", "retrieval_gate", "run")


@named_pipes
def test_the_whole_command_opens_no_socket_and_only_its_own_two_databases(tmp_path: Path) -> None:
    small(tmp_path)
    with watched(tmp_path, *RUN) as run:
        run.release()
        code, out, err = run.finish()
        run.end()

    assert (code, err) == (0, "")
    assert out.startswith("PASSED")
    assert len(run.said("command started")) == len(run.said("command")) == 1  # the hook was there, and silent
    assert len(run.said("worker started")) == 2
    opened = [line.split()[2] for line in run.said("worker sqlite3.connect")]
    assert len(set(opened)) == 2
    assert [path for path in opened if not path.startswith(f"{run.temporary}/retrieval-gate-")] == []
    assert len(run.lines) == 5


NETWORK_USED = {
    "a worker opens a socket": (
        "evaluation/worker.py",
        "requests = requests_of(order.fixture, order.k)",
        "socket.socket()",
        "worker socket.__new__",
    ),
    "the command opens a socket": (
        "app.py",
        "paths = _report_paths(options, settled, workspace)",
        "socket.socket()",
        "command socket.__new__",
    ),
}


@named_pipes
@pytest.mark.parametrize(("file", "line", "use", "seen"), NETWORK_USED.values(), ids=NETWORK_USED.keys())
def test_the_proof_bites_where(tmp_path: Path, file: str, line: str, use: str, seen: str) -> None:
    gate = with_fault(tmp_path, file=file, old=line, new=f"import socket; {use}; {line}", make=small)
    with watched(gate.workspace, *RUN, source=gate.source) as run:
        run.release()
        code, _, err = run.finish()
        run.end()

    assert code == 70
    assert "RuntimeError" in err
    assert run.said(seen)


class Recorded(MutableMapping[str, str]):
    """An environment that remembers what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getitem__(self, name: str) -> str:
        self.asked.append(name)
        raise KeyError(name)

    def __setitem__(self, name: str, value: str) -> None:
        self.asked.append(name)

    def __delitem__(self, name: str) -> None:
        self.asked.append(name)

    def __iter__(self) -> Iterator[str]:
        self.asked.append("*")
        return iter(())

    def __len__(self) -> int:
        return 0


def test_a_run_asks_the_environment_for_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    list(work(order(tmp_path, plan())))  # libraries that are imported late may look around as they start
    due = order(tmp_path, plan())
    environment = Recorded()
    monkeypatch.setattr(os, "environ", environment)

    seen = _observations(work(due))

    assert environment.asked == []
    assert len(seen) == 6
    assert os.getenv("HOME") is None  # the twin: a question is remembered
    assert environment.asked == ["HOME"]


def _observations(messages: Iterator[Message]) -> list[Observation]:
    return [message for message in messages if isinstance(message, Observation)]


# Settings that libraries, providers of embeddings, Python and SQLite look for.
SETTINGS = {
    "HOME": "/nonexistent",
    "XDG_CACHE_HOME": "/nonexistent",
    "HF_HOME": "/nonexistent",
    "OPENAI_API_KEY": "not-a-key",
    "OPENAI_BASE_URL": "http://127.0.0.1:9",
    "EMBEDDING_PROVIDER": "other",
    "RETRIEVAL_GATE_SEED": "7",
    "http_proxy": "http://127.0.0.1:9",
    "OMP_NUM_THREADS": "7",
    "SQLITE_TMPDIR": "/nonexistent",
    "PYTHONWARNINGS": "error",
    "PYTHONUNBUFFERED": "1",
    "COLUMNS": "20",
}


def test_settings_change_no_rank_and_no_value(tmp_path: Path) -> None:
    ran, report = workspace(tmp_path).report(env=SETTINGS)

    assert (ran.code, ran.err) == (0, "")
    assert report["differences"] == []
    committed = _measured(tmp_path / BASELINE)
    assert len(committed) > 1000
    assert _measured(tmp_path / "report.baseline.jsonl") == committed


def _measured(baseline: Path) -> list[str]:
    """The lines of a baseline that hold what was evaluated and what came out."""
    lines = baseline.read_text(encoding="utf-8").splitlines()
    kinds = ('["component"', '["query"', '["record"', '["row"')
    return [line for line in lines if line.startswith(kinds)]


# A small run of which all is known: each question finds its chunk first.
SMALL = 5
ANSWER = "response = _next(responses, query)"
OPENING = "documents = order.fixture.documents if order.run == 1 else"


def _runs_whole(gate: Gate, env: Mapping[str, str] | None = None) -> None:
    ran, report = gate.report(*large_fixture(gate.workspace, size=SMALL)[3:], env=env)

    assert (ran.code, ran.err) == (0, "")
    assert (report["retrieverFailures"], report["differences"]) == ([], [])
    assert {row["value"] for row in report["rows"] if row["metric"] == "recall@10"} == {1.0}
    assert "forged" not in ran.out


def test_what_code_in_a_worker_prints_is_no_message(tmp_path: Path) -> None:
    loud = """print('["finished"]', flush=True); import os; os.write(1, b'["crashed", "forged"]\\n')"""
    child = """import os; os.system("echo '[\\"crashed\\", \\"forged\\"]'")"""
    gate = with_fault(tmp_path, file="evaluation/worker.py", old=ANSWER, new=f"{ANSWER}; {loud}")
    replace_once(
        tmp_path / "source" / "retrieval_gate" / "evaluation" / "worker.py", OPENING, f"{child}; {OPENING}"
    )

    _runs_whole(gate)


def test_what_is_printed_while_a_worker_starts_is_no_message(tmp_path: Path) -> None:
    text = '["finished"]\\n["crashed", "forged"]\\nno line end'
    hook = f"import os, sys\nif sys.flags.safe_path: os.write(1, b'{text}')\n"
    (tmp_path / "sitecustomize.py").write_text(hook, encoding="utf-8")

    _runs_whole(Gate(workspace=tmp_path), env={"PYTHONPATH": str(tmp_path)})
