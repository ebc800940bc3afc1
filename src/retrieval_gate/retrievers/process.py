"""A retriever in a process of its own, spoken to in lines, and sure to end with all that it started.

On POSIX it leads a session of its own, so that its whole group ends with it, and a Ctrl-C is ours to handle. A
descendant that makes a session for itself is out of reach. On Windows only the process itself is ended.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import perf_counter_ns
from typing import IO

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.transport import Transport
from retrieval_gate.retrievers.pipes import Inbox, LineTooLongError, Outbox, OutputEndedError

# Seconds in which a process may end by itself once its stdin is closed, and again once it is asked to.
GRACE = 2.0
# Seconds in which the operating system must have removed a process that was killed.
_REMOVED = 10.0
_LOOK = "look at the retriever's own log: name a file for its stderr in the configuration"

# What runs now, for `end_all`.
_RUNNING: dict[int, subprocess.Popen[bytes]] = {}


def end_all() -> None:
    """Kill every process that was started here and runs, with its group; nothing is waited for.

    May be called from any thread or signal handler, when this process is about to end.
    """
    for process in list(_RUNNING.values()):
        _signal_group(process, kill=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """Until when to wait, on the clock of perf_counter_ns; `seconds` were given. `total`: for the whole run."""

    at_ns: int
    seconds: float
    total: bool


class LineProcess:
    """A running process. All errors are RetrieverError; none tells what the process said."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        stderr: Path | None,
        transport: Transport,
    ) -> None:
        """Raises RetrieverError `not-started` where the operating system can not start it."""
        self._transport = transport
        self._process = _start(command, environment, stderr)
        _RUNNING[self._process.pid] = self._process
        self._outbox = Outbox(_piped(self._process.stdin))
        self._inbox = Inbox(_piped(self._process.stdout), transport.answer_bytes)
        self._waiter = Thread(target=_wait_for, args=(self._process,), daemon=True)
        self._waited_ns = 0
        self._said_something = False
        self._is_broken = False

    def send(self, line: bytes) -> None:
        """Send one line; never waits."""
        self._outbox.put(line)

    def deadline(self, seconds: float | None = None) -> Deadline:
        """The end of a wait that begins now: `seconds`, or the timeout of one answer, and never past the total."""
        one = self._transport.timeout if seconds is None else seconds
        left = self._transport.total_timeout - self._waited_ns / 1e9
        total = left < one
        return Deadline(
            at_ns=perf_counter_ns() + int(max(0.0, min(one, left)) * 1e9),
            seconds=self._transport.total_timeout if total else one,
            total=total,
        )

    def receive(self, deadline: Deadline) -> bytes:
        """The next line without its end. What is waited here counts towards the total.

        Raises `timeout`, `total-timeout`, `answer-too-large`, `partial-line`, `not-started` (it ended before its
        first line) or `process-died`.
        """
        began = perf_counter_ns()
        try:
            line = self._inbox.line(deadline.at_ns)
        except (TimeoutError, LineTooLongError, OutputEndedError) as failure:
            self._is_broken = True
            raise self._error(failure, deadline) from None
        self._waited_ns += perf_counter_ns() - began
        self._said_something = True
        return line

    def early(self) -> bytes | None:
        """A line that has come already; None where there is none, whatever the reason."""
        try:
            return self._inbox.line(0)
        except (TimeoutError, LineTooLongError, OutputEndedError):
            return None

    def close(self) -> None:
        """End it: its stdin closes, then it is asked to end, then it and whatever it left are killed.

        One that did not answer in time, or can not be understood, is not given the time to end by itself.
        """
        self._inbox.discard()
        self._outbox.close()
        if not self._is_gone(0.0 if self._is_broken else GRACE):
            _signal_group(self._process, kill=False)
            if not self._is_gone(GRACE):
                _signal_group(self._process, kill=True)
        if self._is_gone(_REMOVED):
            self._reap()
        self._inbox.join(GRACE)
        self._outbox.join(GRACE)

    def _is_gone(self, seconds: float) -> bool:
        """Whether the process itself has ended, or does so within the time."""
        if self._waiter.ident is None:
            self._waiter.start()
        self._waiter.join(seconds)
        return not self._waiter.is_alive()

    def _reap(self) -> None:
        """Kill what a process that has ended has left, while its number can not yet be another's."""
        if _RUNNING.pop(self._process.pid, None) is not None:
            _signal_group(self._process, kill=True)
            self._process.wait()

    def _error(self, failure: Exception, deadline: Deadline) -> RetrieverError:
        if isinstance(failure, OutputEndedError):
            return self._end_error(failure.partial)
        if isinstance(failure, LineTooLongError):
            return RetrieverError(
                "answer-too-large",
                f"an answer is longer than {self._transport.answer_bytes} bytes",
                fix="return no more than the contract asks for, or raise answer-bytes",
            )
        if deadline.total:
            return RetrieverError(
                "total-timeout",
                f"all answers together took longer than {deadline.seconds:g} s",
                fix="make the retriever faster, set concurrency, or raise total-timeout",
            )
        return RetrieverError(
            "timeout", f"no answer came within {deadline.seconds:g} s", fix="see where it hangs, or raise timeout"
        )

    def _end_error(self, partial: int) -> RetrieverError:
        how = self._how_it_ended()
        if partial:
            return RetrieverError(
                "partial-line", f"the output ended after {partial} bytes of a line: the process {how}", fix=_LOOK
            )
        if not self._said_something:
            return RetrieverError(
                "not-started",
                f"nothing was answered: the process {how}",
                fix="run its command by hand and send it a line; name a file for its stderr in the configuration",
            )
        return RetrieverError("process-died", f"an answer is missing: the process {how}", fix=_LOOK)

    def _how_it_ended(self) -> str:
        if not self._is_gone(GRACE):
            return "closed its output and goes on running"
        self._reap()
        status = self._process.wait()
        return f"ended with status {status}" if status >= 0 else f"was ended by {_signal_name(-status)}"


def _start(command: Sequence[str], environment: Mapping[str, str], stderr: Path | None) -> subprocess.Popen[bytes]:
    try:
        with ExitStack() as stack:
            sink = subprocess.DEVNULL if stderr is None else stack.enter_context(_private_file(stderr))
            return subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=sink,
                bufsize=0,
                env=environment,
                start_new_session=os.name == "posix",
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
    except (OSError, ValueError) as failure:
        raise RetrieverError(
            "not-started",
            f"the program, or the file for its stderr, can not be opened: {type(failure).__name__}",
            fix="check that the program can be run and the file be written",
        ) from None


def _private_file(path: Path) -> IO[bytes]:
    """Opened to be added to, by all runs, and readable to its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, flags, 0o600), "ab")


def _piped(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise TypeError("a process was started without a pipe")
    return stream


def _wait_for(process: subprocess.Popen[bytes]) -> None:
    """Wait for its end, and leave its number taken where the platform can do that."""
    if hasattr(os, "waitid"):
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    else:
        process.wait()


def _signal_group(process: subprocess.Popen[bytes], *, kill: bool) -> None:
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL if kill else signal.SIGTERM)
        else:
            process.terminate()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
