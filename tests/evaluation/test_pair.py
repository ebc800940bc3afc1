"""Two child processes in fresh state, and what is left of them: nothing, however the run ends."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import InternalError
from retrieval_gate.base.ids import AblationId
from retrieval_gate.evaluation import pair
from retrieval_gate.evaluation.pair import HASH_SEEDS, Worker, WorkerPair
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.evaluation.wire import Introduced, Message
from tests.evaluation.scripted import plan


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder in which this process makes its temporary folders."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def _processes(workers: WorkerPair) -> list[subprocess.Popen[bytes]]:
    return [worker._process for worker in (workers.first, workers.second)]


def _spoken(worker: Worker, made: Plan) -> list[Message]:
    worker.begin(made)
    return list(worker.messages())


def test_after_a_run_both_processes_have_ended_and_both_folders_are_gone(temporary: Path) -> None:
    with WorkerPair() as workers:
        assert len(list(temporary.iterdir())) == 2
        for worker in (workers.first, workers.second):
            assert len(_spoken(worker, plan())) == 8

    assert [process.poll() is None for process in _processes(workers)] == [False, False]
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError, SystemExit])
def test_an_interrupt_in_the_middle_ends_both_and_removes_both_folders(
    temporary: Path, error: type[BaseException]
) -> None:
    workers = WorkerPair()

    def interrupted() -> None:
        with workers:
            workers.first.begin(plan())
            workers.second.begin(plan())
            assert isinstance(next(workers.first.messages()), Introduced)
            raise error

    with pytest.raises(error):
        interrupted()
    assert [process.poll() is None for process in _processes(workers)] == [False, False]
    assert list(temporary.iterdir()) == []


def test_workers_that_were_given_nothing_to_do_end_too(temporary: Path) -> None:
    with WorkerPair() as workers:
        pass

    assert [process.poll() is None for process in _processes(workers)] == [False, False]
    assert list(temporary.iterdir()) == []


def test_the_second_is_stopped_even_where_the_first_can_not_be(
    monkeypatch: pytest.MonkeyPatch, temporary: Path
) -> None:
    workers = WorkerPair()
    stop = workers.first.close

    def interrupted() -> None:
        stop()
        raise KeyboardInterrupt

    monkeypatch.setattr(workers.first, "close", interrupted)
    with pytest.raises(KeyboardInterrupt), workers:
        pass

    assert [process.poll() is None for process in _processes(workers)] == [False, False]
    assert list(temporary.iterdir()) == []


def test_where_the_second_can_not_start_the_first_is_stopped(
    monkeypatch: pytest.MonkeyPatch, temporary: Path
) -> None:
    started: list[Worker] = []

    class Refused(Worker):
        def __init__(self, run: int) -> None:
            if run == 2:
                raise OSError("no more processes")
            super().__init__(run)
            started.append(self)

    monkeypatch.setattr(pair, "Worker", Refused)
    with pytest.raises(OSError, match="no more processes"):
        WorkerPair()

    assert [worker._process.poll() is None for worker in started] == [False]
    assert list(temporary.iterdir()) == []


def test_a_worker_that_died_before_its_order_is_told_with_its_status() -> None:
    with WorkerPair() as workers:
        first = workers.first
        first._process.kill()
        first._process.wait()
        first.begin(plan())
        with pytest.raises(InternalError, match="run 1 ended with status -9") as caught:
            list(first.messages())

    assert caught.value.code == "worker-died"


def test_a_bug_in_a_worker_is_told_with_its_run_and_a_trace() -> None:
    unknown = AblationSpec(id=AblationId("a"), retriever="nothing")
    with WorkerPair() as workers, pytest.raises(InternalError, match=r"run 2 met a bug:\n.*ConfigError") as caught:
        _spoken(workers.second, replace(plan(), ablations=(unknown,)))

    assert caught.value.code == "worker-crash"
    assert "table.py" in caught.value.what


def test_the_two_have_different_and_known_hash_seeds() -> None:
    assert len(set(HASH_SEEDS.values())) == 2
    assert [seed.isdecimal() for seed in HASH_SEEDS.values()] == [True, True]
