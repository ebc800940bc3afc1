"""Two workers in fresh state: new process, other hash seed, other folder, documents in another order."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

import retrieval_gate
from retrieval_gate.base.errors import InternalError, OutputError
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.evaluation.wire import READY, Crashed, Finished, Message, from_line, order_for, send_order

# Each worker's hash seed: known and different, so that set order can not agree by luck in both runs.
HASH_SEEDS = {1: "1", 2: "2"}
# A writable folder in memory that containers have even when their root is read-only.
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - a folder of a random name is made in it
_START = "import sys; sys.path.insert(0, sys.argv[1]); from retrieval_gate.evaluation.worker import main; main()"


class Worker:
    """One child process. It starts, and imports what is heavy, before it is given its order."""

    def __init__(self, run: int) -> None:
        self.run = run
        self._folder = tempfile.TemporaryDirectory(
            prefix="retrieval-gate-", dir=_temporary_root(), ignore_cleanup_errors=True
        )
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-s", "-B", "-c", _START, str(Path(retrieval_gate.__file__).parents[1])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # may quote private text; bugs come back as messages
            env=_environment(run),
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
        for line in _after_ready(_open(self._process.stdout)):
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

    def begin(self, plan: Plan) -> None:
        """Give both workers their orders; `evaluate` reads what they answer."""
        self.first.begin(plan)
        self.second.begin(plan)

    def __enter__(self) -> WorkerPair:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        try:
            self.first.close()
        finally:
            self.second.close()


def _temporary_root() -> str:
    """Where both runs keep their files: the platform's temporary folder, or shared memory under a read-only root.

    Raises OutputError where neither can be written; the working folder, which belongs to the user, is not used.
    """
    with suppress(FileNotFoundError):
        root = Path(tempfile.gettempdir())
        if root != Path.cwd():
            return str(root)
    if os.access(_SHARED_MEMORY, os.W_OK):
        return _SHARED_MEMORY
    raise OutputError(
        "no-temporary-folder",
        "there is no temporary folder that can be written",
        fix="set TMPDIR to one, or give the container --tmpfs /tmp",
    )


def _environment(run: int) -> dict[str, str]:
    """The worker's environment: this process's, without what this process itself was told to ignore (`-I`)."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not (sys.flags.ignore_environment and name.startswith("PYTHON"))
    }
    return kept | {"PYTHONHASHSEED": HASH_SEEDS[run], "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise InternalError("no-pipe", "a worker was started without a pipe", fix=REPORT_BUG)
    return stream


def _after_ready(stream: IO[bytes]) -> Iterator[bytes]:
    """The worker's lines, without what something else printed while its Python started."""
    for line in stream:
        if line.strip() == READY.encode("ascii"):
            break
    yield from stream


def _close_quietly(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        return
