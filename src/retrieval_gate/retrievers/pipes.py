"""The two pipes of a child process, as lines: neither side can ever keep the other waiting for good.

A thread writes and a thread reads, on every platform alike: selectors can not wait for a pipe on Windows, and two
hand-overs between threads cost some 0.03 ms a message, a tenth of what a message may cost.
"""

from __future__ import annotations

import os
from collections import deque
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import perf_counter_ns
from typing import IO

# What one read takes, and how many reads may lie unread: a child that floods waits instead of filling the memory.
_CHUNK = 65_536
_CHUNKS_AHEAD = 8


class OutputEndedError(Exception):
    """The child has closed its output. `partial`: bytes of a line that was never ended."""

    def __init__(self, partial: int) -> None:
        super().__init__()
        self.partial = partial


class LineTooLongError(Exception):
    """A line is longer than is taken; it has not been kept."""


class Outbox:
    """Lines to the child's stdin. Writing never waits; what the child does not read stays here."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._thread = Thread(target=self._write, daemon=True)
        self._thread.start()

    def put(self, line: bytes) -> None:
        """Send a line, which holds its own line end. That the child has gone is seen when its output ends."""
        self._lines.put(line)

    def close(self) -> None:
        """Close the child's stdin once it has read everything."""
        self._lines.put(None)

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def _write(self) -> None:
        handle = self._stream.fileno()
        with suppress(OSError):
            while (line := self._lines.get()) is not None:
                rest = memoryview(line)
                while rest:
                    rest = rest[os.write(handle, rest) :]
        with suppress(OSError):
            self._stream.close()


class Inbox:
    """Lines from the child's stdout, at most `longest` bytes each without their end."""

    def __init__(self, stream: IO[bytes], longest: int) -> None:
        self._stream = stream
        self._longest = longest
        self._chunks: SimpleQueue[bytes] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()
        for _ in range(_CHUNKS_AHEAD):
            self._room.put(None)
        self._discards = False
        self._ended = False
        self._complete: deque[bytes] = deque()
        self._begun: list[bytes] = []
        self._begun_bytes = 0
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def line(self, until_ns: int) -> bytes:
        """The next line, without its end.

        `until_ns` is on the clock of perf_counter_ns; one in the past takes what is there. Raises TimeoutError
        where no line is complete by then, OutputEndedError and LineTooLongError.
        """
        while not self._complete:
            if self._begun_bytes > self._longest:
                raise LineTooLongError
            if self._ended:
                raise OutputEndedError(self._begun_bytes)
            self._take(self._next(until_ns))
        if len(self._complete[0]) > self._longest:
            raise LineTooLongError
        return self._complete.popleft()

    def discard(self) -> None:
        """Keep nothing from now on, so that a child which still writes can come to its end."""
        self._discards = True
        self._room.put(None)

    def join(self, seconds: float) -> None:
        """Wait for the end of the output."""
        self._thread.join(seconds)

    def _next(self, until_ns: int) -> bytes:
        try:
            return self._chunks.get(timeout=max(0, until_ns - perf_counter_ns()) / 1e9)
        except Empty:
            raise TimeoutError from None

    def _take(self, chunk: bytes) -> None:
        if not chunk:
            self._ended = True
            return
        self._room.put(None)
        first, *others = chunk.split(b"\n")
        self._begun.append(first)
        self._begun_bytes += len(first)
        for other in others:
            self._complete.append(b"".join(self._begun))
            self._begun, self._begun_bytes = [other], len(other)

    def _read(self) -> None:
        chunk = b"-"
        while chunk:
            self._room.get()
            chunk = self._chunk()
            if self._discards:
                self._room.put(None)
            else:
                self._chunks.put(chunk)
        self._stream.close()

    def _chunk(self) -> bytes:
        try:
            return os.read(self._stream.fileno(), _CHUNK)
        except OSError:
            return b""
