"""The threads on which a retriever's own code runs, so that one that hangs can be told from one that works.

All of it, from its import on, runs on one thread, as what it opens may be for the thread that opened it; there are
others only where several questions are under way. Coroutines always run on the one event loop of the first thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread, current_thread
from time import perf_counter_ns
from typing import Any

# Seconds in which a thread that has nothing to do must have ended.
_GRACE = 2.0


class Slot:
    """Where one piece of work puts its result. `began_ns` is None until a thread has taken it up."""

    __slots__ = ("_results", "_work", "began_ns")

    def __init__(self, work: Callable[[], Any]) -> None:
        self.began_ns: int | None = None
        self._work = work
        self._results: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def run(self) -> None:
        self.began_ns = perf_counter_ns()
        try:
            self._results.put((self._work(), None))
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is waited for
            self._results.put((None, error))

    def wait(self, seconds: float) -> Any:
        """The result, or what the work raised; TimeoutError where there is none in time."""
        try:
            value, error = self._results.get(timeout=max(0.0, seconds))
        except Empty:
            raise TimeoutError from None
        if error is not None:
            raise error
        return value


class Home:
    """The threads; `users` are those who each call `leave` once, the last of whom ends them.

    They are daemons: one that hangs does not keep the process from ending.
    """

    def __init__(self, users: int) -> None:
        self._users = users
        self._jobs: SimpleQueue[Slot | None] = SimpleQueue()
        self._shared_jobs: SimpleQueue[Slot | None] = SimpleQueue()
        self._helpers: list[Thread] = []
        self._serving: Slot | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._live, daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[], Any]) -> Slot:
        """Have the first thread do it, after all that it was given before."""
        slot = Slot(work)
        self._jobs.put(slot)
        return slot

    def submit_aside(self, work: Callable[[], Any]) -> Slot:
        """Have any of the other threads do it, after `begin_aside`."""
        slot = Slot(work)
        self._shared_jobs.put(slot)
        return slot

    def begin_aside(self, threads: int) -> None:
        """Have other threads work; the first one is there for coroutines until `end_aside`."""
        self.end_aside(wait=True)
        for _ in range(threads - len(self._helpers)):
            helper = Thread(target=_work_off, args=(self._shared_jobs,), daemon=True)
            self._helpers.append(helper)
            helper.start()
        self._serving = self.submit(self._loop.run_forever)

    def end_aside(self, *, wait: bool) -> None:
        """Cancel the coroutines that are left; `wait` until they are. Nothing where nothing was begun."""
        serving, self._serving = self._serving, None
        if serving is None:
            return
        self._loop.call_soon_threadsafe(self._stop)
        if wait:
            with suppress(TimeoutError):
                serving.wait(_GRACE)

    def finished(self, awaitable: Awaitable[Any]) -> Any:
        """What a coroutine gives; called on one of the threads, which waits for it."""
        if current_thread() is self._thread:
            value, error = self._completed(awaitable)
        else:
            value, error = self._handed_over(awaitable)
        if error is not None:
            raise error
        return value

    def _completed(self, awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
        outcome = _outcome(awaitable)
        try:
            return self._loop.run_until_complete(outcome)
        finally:  # where all is over already, neither was begun
            outcome.close()
            if isinstance(awaitable, Coroutine):
                awaitable.close()

    def _handed_over(self, awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
        try:
            return asyncio.run_coroutine_threadsafe(_outcome(awaitable), self._loop).result()
        except CancelledError:
            if isinstance(awaitable, Coroutine):
                awaitable.close()  # it may have been cancelled before it began
            raise

    def leave(self, *, wait: bool) -> None:
        """Called once by each user; `wait` for the threads, which must not be where one hangs."""
        self._users -= 1
        if self._users:
            return
        self._jobs.put(None)
        for _ in self._helpers:
            self._shared_jobs.put(None)
        until = perf_counter_ns() + int(_GRACE * 1e9)
        for thread in (self._thread, *self._helpers) if wait else ():
            thread.join(max(0.0, (until - perf_counter_ns()) / 1e9))

    def _live(self) -> None:
        asyncio.set_event_loop(self._loop)
        _work_off(self._jobs)
        with suppress(Exception):  # a generator of the retriever's own, cut off
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def _stop(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        # One more turn, in which they are told.
        self._loop.call_soon(self._loop.stop)


def _work_off(jobs: SimpleQueue[Slot | None]) -> None:
    while (slot := jobs.get()) is not None:
        slot.run()


async def _outcome(awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    """The result and None, or None and what was raised: a SystemExit would end the loop instead of its task."""
    try:
        return await awaitable, None
    except BaseException as error:  # noqa: BLE001 - it is raised on the thread that waits
        return None, error
