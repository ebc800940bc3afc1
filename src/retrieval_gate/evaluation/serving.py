"""What passes between the gate and a child process: one pickled order in, lines out.

The order goes from the gate to its own child, so that pickle is safe; what comes back may have passed through a
retriever's own code, so that it is parsed as data.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO, TypeVar

# The line that a child writes before its first message.
READY = "retrieval-gate worker ready"

Order = TypeVar("Order")
Said = TypeVar("Said")


@dataclass(frozen=True, slots=True, kw_only=True)
class Crashed:
    """The worker met a bug of this project; `trace` holds no values."""

    trace: str


def pass_on(order: object, stream: IO[bytes]) -> None:
    """Write an order for `receive`."""
    pickle.dump(order, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()


def serve(
    kind: type[Order], work: Callable[[Order], Iterable[Said]], line: Callable[[Said | Crashed], str]
) -> None:
    """In the child: read one order from stdin, write a line for all that its work says, and end the process.

    It ends at once where the gate closes stdin or dies, with all that retrievers have started; and it ends without
    waiting for threads in which a retriever hangs.

    Whatever else prints to stdout in this process goes to stderr, so that it can not forge a message; what was
    printed while Python started stands before the line that says READY.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the gate stops its children itself
    # A line at a time: what was said before a retriever's own code ends the process must have been heard.
    with os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8", newline="\n") as out:
        os.dup2(2, 1)
        out.write(f"\n{READY}\n")
        # What nearly every order needs; it takes longer than everything else, and the gate is still reading.
        importlib.import_module("retrieval_gate.engine.service")
        gc.freeze()
        gc.enable()
        order = receive(sys.stdin.buffer, kind)
        if order is not None:
            threading.Thread(target=_end_with_the_gate, daemon=True).start()
            out.writelines(line(said) + "\n" for said in _guarded(work, order))
    os._exit(0)


def _guarded(work: Callable[[Order], Iterable[Said]], order: Order) -> Iterator[Said | Crashed]:
    """What the work says; a bug is the last that it says."""
    try:
        yield from work(order)
    except Exception as bug:  # noqa: BLE001 - the process boundary: the gate reports it and exits 70
        from retrieval_gate.base.crash import private_traceback  # late: a bug alone needs it

        yield Crashed(trace=private_traceback(bug))


def _end_with_the_gate() -> None:
    """Nothing comes behind the order: what ends this read is the gate's end, or its word that all is over."""
    os.read(0, 1)
    from retrieval_gate.retrievers.process import end_all

    end_all()
    os._exit(1)


def receive(stream: IO[bytes], kind: type[Order]) -> Order | None:
    """In the child: the order, or None where the gate closed the stream without one."""
    try:
        order = pickle.load(stream)  # noqa: S301 - written by the parent process a moment ago
    except EOFError:
        return None
    if not isinstance(order, kind):
        raise TypeError("the order is of another kind")
    return order
