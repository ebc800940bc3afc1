"""The contract's messages to and from a process, one JSON value a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from time import perf_counter_ns

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.base.transport import Transport
from retrieval_gate.retrievers.contract import Message, answered, operation, read_hello, read_json
from retrieval_gate.retrievers.foreign import Answer
from retrieval_gate.retrievers.process import Deadline, LineProcess


class JsonLines:
    """The carrier of `exec:`: requests ahead of their answers, answers in the order of the requests.

    The time for one answer runs from when it is the next to come; that for all is what was waited in total.
    """

    def __init__(self, process: LineProcess, transport: Transport, start_timeout: float) -> None:
        self._process = process
        self._ahead = transport.concurrency
        self._start_timeout = start_timeout
        # Requests not yet answered, in order, with when they were sent; and those answered, until asked again.
        self._pending: dict[str, int] = {}
        self._done: dict[str, None] = {}

    def hello(self) -> Hello:
        self._send(operation("hello", 0, {}))
        return read_hello(self._receive(self._process.deadline(self._start_timeout)).body)

    def exchange(self, messages: Sequence[Message]) -> Iterator[Answer]:
        """Raises RetrieverError.

        A line behind the very last answer is no failure: whether it came in time would hang on who is faster.
        """
        while self._pending:  # an exchange that was left half-way
            self._receive(self._process.deadline())
        sent = 0
        for index in range(len(messages)):
            for message in messages[sent : index + self._ahead]:
                self._send(message)
                sent += 1
            yield self._receive(self._process.deadline())

    def close(self) -> None:
        self._process.close()

    def _send(self, message: Message) -> None:
        if not self._pending:
            self._refuse_early()
        name = message["id"]
        self._done.pop(name, None)
        # Escaped: readers of lines in some languages, Node's for one, also end them at U+2028 and U+2029.
        line = json.dumps(message, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        self._pending[name] = perf_counter_ns()
        self._process.send(line.encode("ascii") + b"\n")

    def _receive(self, deadline: Deadline) -> Answer:
        """The answer to the oldest request that has none."""
        expected = next(iter(self._pending))
        line = self._process.receive(deadline)
        elapsed = perf_counter_ns() - self._pending[expected]
        body = answered(read_json(line), expected=expected, pending=self._pending, done=self._done)
        del self._pending[expected]
        self._done[expected] = None
        return Answer(body=body, elapsed_ns=elapsed)

    def _refuse_early(self) -> None:
        """Raises RetrieverError for a line that has come although nothing is asked.

        A line that comes later still is met as an answer to the next request.
        """
        line = self._process.early()
        if line is None:
            return
        value = read_json(line)
        name = value.get("id") if isinstance(value, dict) else None
        if isinstance(name, str) and name in self._done:
            raise RetrieverError(
                "answered-twice", "a request was answered a second time", fix="answer each request once"
            )
        raise RetrieverError(
            "unsolicited-answer",
            "a line came although nothing was asked",
            fix="write to stdout only to answer; a message meant for people goes to stderr",
        )
