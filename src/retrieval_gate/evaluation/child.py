"""A child process in fresh state: a known hash seed, a temporary folder of its own, an order in, lines out."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

import retrieval_gate
from retrieval_gate.base.errors import InternalError, OutputError
from retrieval_gate.evaluation.serving import READY, pass_on

REPORT_BUG = "report it with this trace; it holds no query or corpus text"
# A writable folder in memory that containers have even when their root is read-only.
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - a folder of a random name is made in it
# Seconds that a process has to end what its retrievers have started.
_GRACE = 5
# What is imported is never garbage: the collector waits until `serve` has all of it.
_START = (
    "import gc, importlib, sys; gc.disable(); sys.path.insert(0, sys.argv[1]); "
    "importlib.import_module(sys.argv[2]).main()"
)


class Child:
    """A process that runs `main` of the module `entry`. It imports what is heavy before it is given its order."""

    def __init__(self, entry: str, hash_seed: str) -> None:
        self._folder = tempfile.TemporaryDirectory(
            prefix="retrieval-gate-", dir=_temporary_root(), ignore_cleanup_errors=True
        )
        self.folder = Path(self._folder.name)
        self._ordered = False
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-s", "-B", "-c", _START, str(Path(retrieval_gate.__file__).parents[1]), entry],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # may quote private text; bugs come back as messages
            env=_environment(hash_seed),
        )

    def send(self, order: object) -> None:
        """Give the process its order; where it has died already, `lines` ends at once."""
        self._ordered = True
        with suppress(BrokenPipeError):
            pass_on(order, _open(self._process.stdin))

    def lines(self) -> Iterator[bytes]:
        """What it writes, without what something else printed while its Python started."""
        stream = _open(self._process.stdout)
        for line in stream:
            if line.strip() == READY.encode("ascii"):
                break
        yield from stream

    def wait(self) -> int:
        """Its exit status."""
        return self._process.wait()

    def close(self) -> None:
        """Have the process end, if it still runs, with all that it has started; remove its folder."""
        if not self._ordered:
            self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                _close_quietly(stream)
        try:
            self._process.wait(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()


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


def _environment(hash_seed: str) -> dict[str, str]:
    """The worker's environment: this process's, without what this process itself was told to ignore (`-I`)."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not (sys.flags.ignore_environment and name.startswith("PYTHON"))
    }
    return kept | {"PYTHONHASHSEED": hash_seed, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise InternalError("no-pipe", "a worker was started without a pipe", fix=REPORT_BUG)
    return stream


def _close_quietly(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        return
