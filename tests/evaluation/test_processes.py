"""No process and no folder is left of a run that is interrupted, and no worker outlives the command."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.evaluation.watched import Watched, large_fixture, watched

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs signals and named pipes")

# The command makes two workers, and then waits without giving them anything to do.
IDLE = """
import signal
from retrieval_gate.evaluation.pair import WorkerPair
with WorkerPair():
    signal.pause()
"""


def _to_the_command(run: Watched) -> None:
    run.process.send_signal(signal.SIGINT)


def _to_all_as_a_terminal_does(run: Watched) -> None:
    os.killpg(run.process.pid, signal.SIGINT)


@pytest.mark.parametrize("interrupt", [_to_the_command, _to_all_as_a_terminal_does])
def test_an_interrupt_in_the_middle_exits_130_and_leaves_nothing(
    tmp_path: Path, interrupt: Callable[[Watched], None]
) -> None:
    with watched(tmp_path, *large_fixture(tmp_path)) as run:
        run.until("worker sqlite3.connect", times=2)
        assert len(list(run.temporary.iterdir())) == 2

        interrupt(run)
        code, _, err = run.finish()
        run.end()

    assert code == 130
    assert "Traceback" not in err
    assert list(run.temporary.iterdir()) == []


def test_an_interrupt_of_the_workers_alone_stops_nothing_and_the_run_ends_in_order(tmp_path: Path) -> None:
    """The command stops its workers itself; and the twin of the test above: this one runs to its end."""
    with watched(tmp_path, *large_fixture(tmp_path, size=5)) as run:
        run.until("worker sqlite3.connect", times=2)
        for worker in run.workers():
            os.kill(worker, signal.SIGINT)
        run.release()
        code, out, err = run.finish()
        run.end()

    assert (code, err) == (0, "")
    assert "5 answerable" in out
    assert [line.split()[:2] for line in run.lines] == [
        ["command", "started"],
        ["worker", "started"],
        ["worker", "started"],
        ["worker", "sqlite3.connect"],
        ["worker", "sqlite3.connect"],
    ]
    assert list(run.temporary.iterdir()) == []


def test_workers_end_by_themselves_where_the_command_was_killed_while_they_worked(tmp_path: Path) -> None:
    with watched(tmp_path, *large_fixture(tmp_path)) as run:
        run.until("worker sqlite3.connect", times=2)

        run.process.kill()
        assert run.process.wait() == -signal.SIGKILL
        run.release()
        run.end()

    assert len(run.said("worker started")) == 2


def test_workers_end_by_themselves_where_the_command_was_killed_before_their_order(tmp_path: Path) -> None:
    with watched(tmp_path, "-c", IDLE) as run:
        run.until("worker started", times=2)

        run.process.kill()
        assert run.process.wait() == -signal.SIGKILL
        run.end()

    assert run.said("worker sqlite3.connect") == []
