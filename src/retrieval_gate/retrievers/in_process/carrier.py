"""The carrier of `python:`: the contract's messages as calls of a Python object."""

from __future__ import annotations

import inspect
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from threading import Lock
from time import perf_counter_ns
from typing import Any

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.base.transport import PythonSettings, Transport
from retrieval_gate.retrievers.contract import Message
from retrieval_gate.retrievers.fields import shape
from retrieval_gate.retrievers.foreign import Answer
from retrieval_gate.retrievers.in_process.binding import QUERY_PARAMETERS, Binding, bind, bind_nothing
from retrieval_gate.retrievers.in_process.home import Home, Slot
from retrieval_gate.retrievers.in_process.raised import Origin, raised
from retrieval_gate.retrievers.in_process.target import Target, answering, hello_of, load, makes_it

# What each change hands to the method of its name: the member for its first parameter, and those by name.
CHANGES = {
    "seed": ("documents", {"reset": "reset", "principals": "principals"}),
    "update": ("document", {}),
    "delete": ("documentId", {}),
    "revoke": ("documentId", {"at": "at"}),
}
# Seconds for a retriever's own `close`.
_CLOSING = 5.0
# More hits than any k; an iterator without end must not be read to it.
_MOST = 100_000


class PythonCarrier:
    """Calls the retriever on its own threads, and waits for each answer no longer than it may take."""

    def __init__(self, address: str, transport: Transport, folders: Sequence[str], home: Home) -> None:
        self._address = address
        self._transport = transport
        self._settings = transport.settings if isinstance(transport.settings, PythonSettings) else PythonSettings()
        self._folders = tuple(folders)
        self._home = home
        self._target: Target | None = None
        # Who answers, by principal as JSON; where one retriever answers all, it is under None.
        self._answering: dict[str | None, Binding] = {}
        self._made: list[Any] = []
        self._making = Lock()
        self._waited_ns = 0
        self._hangs = False

    def hello(self) -> Hello:
        """Import the retriever and make it."""
        hello: Hello = self._wait(self._home.submit(self._open), self._settings.start_timeout)
        return hello

    def exchange(self, messages: Sequence[Message]) -> Iterator[Answer]:
        """Raises RetrieverError; see `raised` and `fields.shape`."""
        ahead = self._transport.concurrency
        if ahead == 1 or len(messages) == 1:
            for message in messages:
                yield self._wait(self._home.submit(self._work(message)), self._transport.timeout)
            return
        self._home.begin_aside(ahead)
        try:
            coming = iter(messages)
            under_way = deque(map(self._aside, islice(coming, ahead)))
            while under_way:
                yield self._wait(under_way.popleft(), self._transport.timeout)
                under_way.extend(map(self._aside, islice(coming, 1)))
        finally:
            self._home.end_aside(wait=not self._hangs)

    def close(self) -> None:
        """Have the retriever close what it has opened, where it has a method for that, and end its threads."""
        self._home.end_aside(wait=not self._hangs)  # an exchange may have been left half-way
        if not self._hangs:
            with suppress(TimeoutError):
                self._home.submit(self._close_made).wait(_CLOSING)
        self._home.leave(wait=not self._hangs)

    def _aside(self, message: Message) -> Slot:
        return self._home.submit_aside(self._work(message))

    def _work(self, message: Message) -> Callable[[], Answer]:
        return lambda: self._carry(message)

    def _wait(self, slot: Slot, seconds: float) -> Any:
        """The result of work that may take `seconds` from when it began; all waits together have an end too."""
        now = perf_counter_ns()
        left = self._transport.total_timeout - self._waited_ns / 1e9
        since = 0.0 if slot.began_ns is None else (now - slot.began_ns) / 1e9
        try:
            result = slot.wait(min(seconds - since, left))
        except TimeoutError:
            raise self._late(seconds, total=left < seconds - since) from None
        self._waited_ns += perf_counter_ns() - now
        # One that others were waited for before, and that took too long meanwhile, would have failed alone.
        if isinstance(result, Answer) and result.elapsed_ns > seconds * 1e9:
            raise self._late(seconds, total=False)
        return result

    def _late(self, seconds: float, *, total: bool) -> RetrieverError:
        self._hangs = True
        if total:
            return RetrieverError(
                "total-timeout",
                f"all answers together took longer than {self._transport.total_timeout:g} s",
                fix="make the retriever faster, set concurrency, or raise total-timeout",
            )
        return RetrieverError(
            "timeout", f"no answer came within {seconds:g} s", fix="see where it hangs, or raise timeout"
        )

    # What follows runs on the retriever's threads.

    def _open(self) -> Hello:
        with self._telling("reading the retriever"):
            return self._opened()

    def _opened(self) -> Hello:
        self._target = load(self._address, self._folders)
        if self._settings.per_principal:
            return hello_of(self._target, None)
        value = self._target.value
        if makes_it(value):
            value = self._called(bind_nothing(value), {}, "making the retriever")
            self._made.append(value)
            self._target = replace(self._target, value=value)
        answers = bind(answering(value), "query", QUERY_PARAMETERS)
        self._answering[None] = answers
        return hello_of(self._target, answers)

    def _carry(self, message: Message) -> Answer:
        with self._telling("reading the retriever"):
            if message["op"] in CHANGES:
                return self._change(message)
            answers = self._who_answers(message["principal"])
        values = {**message, "request": message}
        began = perf_counter_ns()
        raw = self._called(answers, values, "answering")
        elapsed = perf_counter_ns() - began
        with self._telling("reading its answer"):
            return Answer(body=shape(raw, self._transport.fields), elapsed_ns=elapsed)

    def _change(self, message: Message) -> Answer:
        first, parameters = CHANGES[message["op"]]
        method = getattr(self._loaded().value, message["op"])
        done = self._called(bind(method, first, parameters), message, message["op"])
        return Answer(body={"ok": done is not False})

    def _who_answers(self, principal: Mapping[str, object] | None) -> Binding:
        if not self._settings.per_principal:
            return self._answering[None]
        key = json.dumps(principal, sort_keys=True)
        with self._making:
            if key not in self._answering:
                factory = Binding(function=self._loaded().value, by_place=("principal",))
                made = self._called(factory, {"principal": principal}, "making a principal's retriever")
                self._made.append(made)
                self._answering[key] = bind(answering(made), "query", QUERY_PARAMETERS)
            return self._answering[key]

    def _close_made(self) -> None:
        """Whatever it raises is no failure: all answers have been given."""
        for made in self._made:
            with suppress(RetrieverError), self._telling("closing"):
                closing = getattr(made, "aclose", None) or getattr(made, "close", None)
                if callable(closing) and not inspect.isroutine(made):
                    self._called(Binding(function=closing, by_place=()), {}, "closing")

    def _called(self, function: Binding, values: Mapping[str, object], doing: str) -> Any:
        """What the user's code gives, with coroutines and iterators brought to their end."""
        with self._telling(doing):
            result = function(values)
            if inspect.isawaitable(result):
                result = self._home.finished(result)
            if isinstance(result, AsyncIterator):
                result = self._home.finished(_drained(result))
            return list(islice(result, _MOST)) if isinstance(result, Iterator) else result

    @contextmanager
    def _telling(self, doing: str) -> Iterator[None]:
        """Whatever the user's code raises is the retriever's failure; see `raised`."""
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - a SystemExit too
            origin = Origin(file=None, folders=self._folders) if self._target is None else self._target.origin
            raise raised(error, origin, doing) from None

    def _loaded(self) -> Target:
        if self._target is None:
            raise TypeError("a retriever is asked before it was opened")
        return self._target


async def _drained(items: AsyncIterator[Any]) -> list[Any]:
    found: list[Any] = []
    async for item in items:
        found.append(item)
        if len(found) == _MOST:
            break
    return found
