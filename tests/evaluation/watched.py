"""The real command with a hook in each of its processes: who started, what was done there, and when all ended.

The hook is a `sitecustomize` module in a folder on PYTHONPATH, which the command and its workers import as Python
starts. It opens a named pipe and keeps it open, so that whoever reads it sees its end just when no process of the
run is left; and it writes a line there for every event that it was told to watch.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import retrieval_gate

# Only the workers are started with -P.
HOOK = """
import os, sys

_who = "worker" if sys.flags.safe_path else "command"
_pipe = os.open(os.environ["WATCH_PIPE"], os.O_WRONLY)


def _say(event, detail=""):
    os.write(_pipe, f"{_who} {event} {detail}\\n".encode())


def _watch(event, arguments):
    if event == "sqlite3.connect":
        hold = os.open(os.environ["WATCH_HOLD"], os.O_RDONLY)
        _say(event, arguments[0])
        os.read(hold, 1)
    elif event.partition(".")[0] in ("socket", "urllib", "http"):
        _say(event)
        raise RuntimeError("the network is closed")


_say("started", os.getpid())
sys.addaudithook(_watch)
"""
# Far longer than any of these runs: only a test that would never end meets it.
PATIENCE_MS = 60_000


@dataclass(slots=True)
class Watched:
    """A run that goes on. `lines` are the hook's, in the order they came; `hold` stops the workers."""

    process: subprocess.Popen[bytes]
    pipe: int
    hold: int
    temporary: Path
    lines: list[str] = field(default_factory=list)

    def until(self, event: str, times: int) -> None:
        """Read the hook's lines up to the last of these. Raises EOFError where all processes ended before."""
        while len(self.said(event)) < times:
            if not self._read():
                raise EOFError(f"the run ended with {self.process.wait()} after {self.lines}")

    def said(self, event: str) -> list[str]:
        return [line for line in self.lines if line.startswith(event)]

    def workers(self) -> list[int]:
        """The process ids of the workers that have started."""
        return [int(line.split()[2]) for line in self.said("worker started")]

    def release(self) -> None:
        """Let all workers go on that stand before their database, or will."""
        os.write(self.hold, b"go")

    def finish(self) -> tuple[int, str, str]:
        """Wait for the command; its exit code, stdout and stderr."""
        out, err = self.process.communicate(timeout=PATIENCE_MS / 1000)
        return self.process.returncode, out.decode("utf-8"), err.decode("utf-8")

    def end(self) -> None:
        """Return when no process of the run is left."""
        while self._read():
            pass

    def _read(self) -> bool:
        waiting = select.poll()
        waiting.register(self.pipe, select.POLLIN)
        if not waiting.poll(PATIENCE_MS):
            raise TimeoutError(f"a process is left after {self.lines}")
        text = os.read(self.pipe, 1 << 16).decode("utf-8")
        self.lines += text.splitlines()
        return text != ""


@contextmanager
def watched(folder: Path, *command: str, source: Path | None = None) -> Iterator[Watched]:
    """Start Python with `command` in `folder`, in a session of its own; every worker stops before its database.

    `source` is where the package is taken from; None: where the tests have it from.
    """
    hooks, temporary = folder / "hooks", folder / "temporary"
    hooks.mkdir()
    temporary.mkdir()
    (hooks / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    names = {"WATCH_PIPE": str(folder / "pipe"), "WATCH_HOLD": str(folder / "hold")}
    for name in names.values():
        os.mkfifo(name)
    pipe = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    hold = os.open(folder / "hold", os.O_RDWR)  # each worker reads one byte
    path = os.pathsep.join(map(str, (hooks, source or Path(retrieval_gate.__file__).parents[1])))
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, **names, "PYTHONPATH": path, "TMPDIR": str(temporary)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_hear_interrupts if os.name == "posix" else None,
    )
    run = Watched(process, pipe, hold, temporary)
    try:
        yield run
    finally:
        process.kill()
        process.communicate()
        run.release()
        os.close(hold)
        os.close(pipe)


def _hear_interrupts() -> None:
    """A run that was started in the background ignores Ctrl-C, and hands that down: here it is what is tested."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def large_fixture(folder: Path, size: int = 120) -> list[str]:
    """Write a fixture whose answers fill a pipe many times over; the arguments of a run of it."""
    queries: list[dict[str, object]] = [
        {
            "id": f"q{at}",
            "language": "en",
            "query": f"what is the colour of item{at}",
            "noAnswer": False,
            "judgments": [{"chunkId": f"c{at}", "relevance": 3, "spans": [{"text": f"item{at} is"}]}],
        }
        for at in range(size)
    ]
    queries.append({"id": "none", "language": "en", "query": "unheard of", "noAnswer": True, "judgments": []})
    fixture = {
        "version": 1,
        "id": "large",
        "provenance": {"kind": "synthetic", "license": "CC0-1.0"},
        "documents": [
            {"id": f"d{at}", "title": f"Note {at}", "chunks": [{"id": f"c{at}", "content": _content(at)}]}
            for at in range(size)
        ],
        "queries": queries,
    }
    (folder / "large.json").write_text(json.dumps(fixture), encoding="utf-8")
    return ["-m", "retrieval_gate", "run", "--fixture", "large.json", "--allow-missing-baseline"]


def _content(at: int) -> str:
    colours = ("red", "green", "blue", "yellow", "grey")
    return f"The colour of item{at} is {colours[at % 5]} and that of item{at + 1} is not known."
