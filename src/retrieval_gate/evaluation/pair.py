"""Two workers in fresh state: new process, other hash seed, other folder, documents in another order."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO

import retrieval_gate
from retrieval_gate.base.errors import InternalError
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.evaluation.wire import Crashed, Finished, Message, from_line, order_for, send_order

# Each worker's hash seed: known and different, so that set order can not agree by luck in both runs.
HASH_SEEDS = {1: "1", 2: "2"}
_START = "import sys; sys.path.insert(0, sys.argv[1]); from retrieval_gate.evaluation.worker import main; main()"


class Worker:
    """One child process. It starts, and imports what is heavy, before it is given its order."""

    def __init__(self, run: int) -> None:
        self.run = run
        self._folder = tempfile.TemporaryDirectory(prefix="retrieval-gate-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-s", "-B", "-c", _START, str(Path(retrieval_gate.__file__).parents[1])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # may quote private text; bugs come back as messages
            env=os.environ | {"PYTHONHASHSEED": HASH_SEEDS[run], "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"},
        )

    def begin(self, plan: Plan) -> None:
        """Give the worker its order."""
        try:
            with _open(self._process.stdin) as stream:
                send_order(order_for(plan, self.run, Path(self._folder.name)), stream)
        except BrokenPipeError:
            return  # the worker died; `messages` says how

    def messages(self) -> Iterator[Message]:
        """All messages up to, and without, the end.

        Raises InternalError for a bug in this project, or where the worker ended without saying why.
        """
        for line in _open(self._process.stdout):
            match from_line(line):
                case Finished():
                    return
                case Crashed(trace=trace):
                    raise InternalError("worker-crash", f"run {self.run} met a bug:\n{trace}", fix=REPORT_BUG)
                case message:
                    yield message
        status = self._process.wait()
        raise InternalError("worker-died", f"run {self.run} ended with status {status}", fix=REPORT_BUG)

    def close(self) -> None:
        """Stop the process, if it still runs, and remove its folder."""
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                _close_quietly(stream)
        self._process.wait()
        self._folder.cleanup()


REPORT_BUG = "report it with this trace; it holds no query or corpus text"


class WorkerPair:
    """Both workers, started at once; leaving the context stops them and removes what they left."""

    def __init__(self) -> None:
        self.first = Worker(1)
        try:
            self.second = Worker(2)
        except BaseException:
            self.first.close()
            raise

    def __enter__(self) -> WorkerPair:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        try:
            self.first.close()
        finally:
            self.second.close()


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise InternalError("no-pipe", "a worker was started without a pipe", fix=REPORT_BUG)
    return stream


def _close_quietly(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        return
