"""The contract's messages over HTTP: several under way at once, in order, repeated only where that is safe."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import LifoQueue

from retrieval_gate.base.canonical import digest
from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.retrievers.contract import Message, answered, error_answer, operation, read_hello, read_json
from retrieval_gate.retrievers.foreign import Answer
from retrieval_gate.retrievers.http_line import Line, Origin, Repeat, Reply, SetbackError, late, tls_context
from retrieval_gate.retrievers.http_request import Form, address_of, form_of, settings_of
from retrieval_gate.retrievers.presets import CONTRACT, read_preset

# Seconds before a request is repeated; doubled each time.
_PAUSE = 0.1
# What changes nothing at the retriever, so that it may be asked twice.
_QUERIES = frozenset({"hello", "query"})
# How many answers may wait for the one before them, per request under way.
_AHEAD = 2
# Shorter values are no secrets, and would be found in any text.
_SECRET_LENGTH = 4
# A shorter one may stand in an answer by chance, which then must not fail.
_ECHO_LENGTH = 8
_NO_JSON = "the server answered with something else than JSON{kind}; see its address and preset"


class HttpCarrier:
    """A carrier over as many connections as `concurrency` allows, each kept for the next request."""

    def __init__(self, spec: AblationSpec) -> None:
        """Raises ConfigError, as `check_http` does."""
        self._spec = spec
        self._transport = spec.transport
        self._retries = settings_of(spec).retries
        self._form = form_of(spec)
        self._secrets = tuple(value for value in self._form.secrets() if len(value) >= _SECRET_LENGTH)
        self._echoes = tuple(value for value in self._form.header_secrets() if len(value) >= _ECHO_LENGTH)
        origin = _origin(spec)
        self._lines = [Line(origin) for _ in range(self._transport.concurrency)]
        self._idle: LifoQueue[Line] = LifoQueue()
        for line in self._lines:
            self._idle.put(line)
        self._workers: ThreadPoolExecutor | None = None
        self._closing = threading.Event()
        self._used = 0.0

    def hello(self) -> Hello:
        """What a server that speaks the contract says of itself; for all others what the configuration tells."""
        if CONTRACT in self._form.preset.names:
            (answer,) = self.exchange([operation("hello", 0, {})])
            return read_hello({name: self._without_secrets(value) for name, value in answer.body.items()})
        return _told(self._spec, self._form)

    def exchange(self, messages: Sequence[Message]) -> Iterator[Answer]:
        began = time.monotonic()
        end = began + self._transport.total_timeout - self._used
        try:
            yield from self._answers(messages, end)
        finally:
            self._used += time.monotonic() - began

    def close(self) -> None:
        """Ends what is under way."""
        self._closing.set()
        for line in self._lines:
            line.cut()
        if self._workers is not None:
            self._workers.shutdown(cancel_futures=True)
        for line in self._lines:
            line.close()

    def _answers(self, messages: Sequence[Message], end: float) -> Iterator[Answer]:
        ids = [message["id"] for message in messages]
        if self._transport.concurrency == 1 or len(messages) == 1:
            for place, message in enumerate(messages):
                yield self._answer(message, ids, place, end)
            return
        waiting: deque[Future[Answer]] = deque()
        try:
            for place, message in enumerate(messages):
                if len(waiting) == _AHEAD * self._transport.concurrency:
                    yield waiting.popleft().result()
                waiting.append(self._pool().submit(self._answer, message, ids, place, end))
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def _pool(self) -> ThreadPoolExecutor:
        if self._workers is None:
            self._workers = ThreadPoolExecutor(self._transport.concurrency)
        return self._workers

    def _answer(self, message: Message, ids: Sequence[str], place: int, end: float) -> Answer:
        """The answer to the message at `place` of those whose ids are given; repeated as far as that is safe."""
        began = time.monotonic()
        deadline = min(began + self._transport.timeout, end)
        pause = _PAUSE
        for left in range(self._retries, -1, -1):
            try:
                return self._once(message, ids, place, deadline)
            except SetbackError as setback:
                wait = pause if setback.wait is None else setback.wait
                if not (left and _repeatable(message, setback)) or time.monotonic() + wait >= deadline:
                    raise self._error(setback, total=deadline == end) from None
            if self._closing.wait(wait):
                break
            pause *= 2
        raise late().error

    def _error(self, setback: SetbackError, *, total: bool) -> RetrieverError:
        """The setback's own error, but for a timeout, which tells what it was that ended."""
        if setback.error.code != "timeout":
            return setback.error
        if total:
            return RetrieverError(
                "total-timeout",
                f"all answers together took longer than {self._transport.total_timeout:g} s",
                fix="make the retriever faster, set concurrency, or raise total-timeout",
            )
        return RetrieverError(
            "timeout",
            f"no whole answer came within {self._transport.timeout:g} s",
            fix="see where it hangs, or raise timeout",
        )

    def _once(self, message: Message, ids: Sequence[str], place: int, deadline: float) -> Answer:
        asked = self._form.asked(message)
        line = self._idle.get()  # there may be none for a while after an exchange that was left half-way
        try:
            reply = line.ask(asked, deadline, self._transport.answer_bytes)
        finally:
            self._idle.put(line)
        return Answer(body=self._body(reply, ids, place), elapsed_ns=reply.elapsed_ns)

    def _body(self, reply: Reply, ids: Sequence[str], place: int) -> Mapping[str, object]:
        """The contract's members; raises SetbackError for an error that the retriever calls passing."""
        value = read_json(reply.data, fix=_NO_JSON.format(kind=" (text/html)" if reply.is_html else ""))
        self._refuse_echo(reply.data, value)
        if CONTRACT not in self._form.preset.names:
            return read_preset(self._form.preset, value, self._transport.fields)
        if isinstance(value, dict) and value.get("id") == ids[place] and isinstance(value.get("error"), dict):
            error = self._without_secrets(value["error"])
            repeat = Repeat.QUERY if value["error"].get("retryable") is True else Repeat.NOTHING
            raise SetbackError(error_answer(error), repeat)
        if isinstance(value, dict) and value.get("id") == ids[place]:
            return answered(value, expected=ids[place], pending={}, done={})
        later, earlier = dict.fromkeys(ids[place + 1 :]), dict.fromkeys(ids[:place])
        return answered(value, expected=ids[place], pending=later, done=earlier)

    def _refuse_echo(self, data: bytes, value: object) -> None:
        """What an answer says may be kept in a recording or a context: a secret must not be in it."""
        if any(secret.encode() in data or _holds(value, secret) for secret in self._echoes):
            raise RetrieverError(
                "secret-echoed",
                "an answer holds a secret that its request's headers were given",
                fix="have the server leave its request's headers out; a value that is no secret can be written in "
                "http.headers itself",
            )

    def _without_secrets(self, value: object) -> object:
        """What may be shown of what the server said of itself: nothing that was sent as a secret."""
        if isinstance(value, dict):
            return {name: self._without_secrets(part) for name, part in value.items()}
        if isinstance(value, str) and any(secret in value for secret in self._secrets):
            return ""
        return value


def _holds(value: object, secret: str) -> bool:
    """Whether a text of the JSON value holds the secret, which JSON may write in many ways."""
    if isinstance(value, str):
        return secret in value
    if isinstance(value, dict):
        return any(_holds(name, secret) or _holds(part, secret) for name, part in value.items())
    return isinstance(value, list) and any(_holds(part, secret) for part in value)


def _repeatable(message: Message, setback: SetbackError) -> bool:
    """A change is never sent twice: whether it was made is not known."""
    if setback.repeat is Repeat.QUERY:
        return message["op"] in _QUERIES
    return setback.repeat is Repeat.ANYTHING


def _origin(spec: AblationSpec) -> Origin:
    address = address_of(spec)
    tls = tls_context(settings_of(spec).ca_file) if address.scheme == "https" else None
    return Origin(host=address.host, port=address.port, tls=tls)


def _told(spec: AblationSpec, form: Form) -> Hello:
    """What can be known of a server without asking: its address and request, and what the request makes use of."""
    capabilities = {"principals": "principal.", "asOf": "asOf"}
    return Hello(
        name=form.preset.names[0],
        version="",
        fingerprint=digest((spec.retriever, form.method, form.body)),
        capabilities=frozenset(
            name for name, part in capabilities.items() if any(used.startswith(part) for used in form.names)
        ),
    )
