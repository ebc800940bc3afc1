"""Python retrievers under load, and each way in which one can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import ConfigError, RetrieverError
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.retrieval import Request
from retrieval_gate.base.transport import PythonSettings, Transport
from retrieval_gate.retrievers.port import Retriever
from retrieval_gate.retrievers.python import check_python
from retrieval_gate.retrievers.table import runs_in_process
from tests.retrievers.mine import (
    SECRET,
    failure_of,
    ids_of,
    opened,
    request,
    spec_of,
    write,
)

pytestmark = pytest.mark.usefixtures("own_modules")


# Concurrency


def test_as_many_are_under_way_as_configured_and_answers_come_in_order() -> None:
    source = """
        import threading
        barrier = threading.Barrier(3)
        def search(query):
            barrier.wait(20)
            return [query]
    """
    asked = [request(f"q{number}", name) for number, name in enumerate(["k1", "k2", "d1", "e1", "z1", "z2"])]

    assert ids_of(source, *asked, spec=spec_of(concurrency=3)) == [["k1"], ["k2"], ["d1"], ["e1"], ["z1"], ["z2"]]


def test_never_more_are_under_way_than_configured() -> None:
    source = """
        import threading
        free = threading.Semaphore(3)
        def search(query):
            if not free.acquire(blocking=False): return []
            try: return ['k1']
            finally: free.release()
    """
    asked = [request(f"q{number}") for number in range(50)]

    assert ids_of(source, *asked, spec=spec_of(concurrency=3)) == [["k1"]] * 50


def test_coroutines_are_under_way_together() -> None:
    source = """
        import asyncio
        waiting = []
        async def search(query):
            waiting.append(asyncio.get_running_loop().create_future())
            if len(waiting) == 3:
                for future in waiting: future.set_result(None)
                waiting_now, waiting[:] = waiting[:], []
                return [query]
            await waiting[-1]
            return [query]
    """
    asked = [request(f"q{number}", name) for number, name in enumerate(["k1", "k2", "d1"])]

    assert ids_of(source, *asked, spec=spec_of(concurrency=3)) == [["k1"], ["k2"], ["d1"]]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_answers_before_a_failure_have_come(concurrency: int) -> None:
    write("def search(query): return ['k1'] if query != 'bad' else 1 / 0")
    asked = [request("q1"), request("q2"), request("q3", "bad"), request("q4")]
    seen: list[str] = []
    with opened(spec_of(concurrency=concurrency)) as retriever, pytest.raises(RetrieverError) as caught:
        _told(retriever, asked, seen)

    assert seen == ["q1", "q2"]
    assert caught.value.what == "answering raised ZeroDivisionError at line 1 of mine.py"


def test_an_exchange_that_is_left_half_way_leaves_nothing_behind() -> None:
    write("async def search(query): return ['k1']")
    with opened(spec_of(concurrency=3)) as retriever:
        answers = retriever.answer([request(f"q{number}") for number in range(9)])
        assert next(answers).id == "q0"
        answers.close()
        assert next(retriever.answer([request("again")])).id == "again"


# Failures


@pytest.mark.parametrize("concurrency", [1, 2])
@pytest.mark.parametrize("word", ["def", "async def"])
@pytest.mark.parametrize(
    ("statement", "code", "what"),
    [
        (f"raise KeyError('{SECRET}')", "retriever-raised", "answering raised KeyError at line 2 of mine.py"),
        (f"raise SystemExit('{SECRET}')", "retriever-exited", "answering ended the process at line 2 of mine.py"),
        ("raise KeyboardInterrupt", "retriever-raised", "answering raised KeyboardInterrupt at line 2 of mine.py"),
        (f"import json; json.loads('{SECRET}')", "retriever-raised", "JSONDecodeError at line 2 of mine.py"),
        ("return None", "unknown-shape", "no shape that is known fits: NoneType"),
        (f"return [dict(secret='{SECRET}')]", "unknown-shape", "list of 1 dict with 1 keys"),
        (f"return ['{SECRET}']", "unknown-id", "1 of 1 hits have an id that is not a chunk of the fixture"),
        ("return ['k1', 'k2', 'd1', 'e1']", "too-many-hits", "4 hits came where 3 were asked for"),
        ("return [('k1', float('nan'))]", "bad-answer", "hits[0].score is not a finite number"),
        ("return [('k1', 0.1), ('k2', 0.2)]", "scores-against-order", "rank 2"),
    ],
)
def test_what_goes_wrong_is_told_and_nothing_that_it_held(
    word: str, statement: str, code: str, what: str, concurrency: int
) -> None:
    failure = failure_of(
        f"{word} search(query):\n    {statement}\n",
        request("q1"),
        request("q2"),
        spec=spec_of(concurrency=concurrency),
    )

    assert (failure.code, what in failure.what) == (code, True)


@pytest.mark.parametrize(
    ("source", "code", "what"),
    [
        ("import no_such_module", "not-importable", "the module no_such_module is missing"),
        ("import no_such.module", "not-importable", "the module no_such is missing"),
        (f"raise ModuleNotFoundError('x', name='{SECRET} !')", "not-importable", "a module is missing"),
        (
            f"\nraise ValueError('{SECRET}')",
            "retriever-raised",
            "its import raised ValueError at line 2 of mine.py",
        ),
        (f"x = '{SECRET}", "retriever-raised", "its import raised SyntaxError at line 1 of mine.py"),
        (
            f"import sys; sys.exit('{SECRET}')",
            "retriever-exited",
            "its import ended the process at line 1 of mine.py",
        ),
        ("def searhc(query): return []", "not-importable", "the module has no search"),
        ("search = 17", "not-a-retriever", "int is no function and has none of the methods that answer"),
    ],
)
def test_a_module_that_can_not_be_used_is_told(source: str, code: str, what: str) -> None:
    failure = failure_of(source)

    assert (failure.code, failure.what) == (code, what)


def test_a_misspelt_attribute_is_told_the_nearest() -> None:
    assert failure_of("def searhc(query): return []").fix == "write searhc"


def test_an_error_in_a_neighbour_of_the_module_is_placed_in_the_module() -> None:
    write(f"def find(query):\n\n    raise ValueError('{SECRET}')", "mine_index.py")
    failure = failure_of("import mine_index\ndef search(query):\n    return mine_index.find(query)\n")

    assert failure.what == "answering raised ValueError at line 3 of mine.py"


def _told(retriever: Retriever, asked: list[Request], seen: list[str]) -> None:
    """Ask, and note each answer as it comes."""
    for response in retriever.answer(asked):
        seen += [response.id]


WAITING = ("def", "RELEASED.wait(60)")
# One that gives way to the others, and one that does not.
ASLEEP = ("async def", "await asyncio.get_running_loop().create_future()")
BLOCKING = ("async def", "RELEASED.wait(60)")


def _hanging(word: str, statement: str) -> str:
    """A retriever that answers the query `hang` only once the test is over."""
    return f"""
        import asyncio, threading
        RELEASED = threading.Event()
        {word} search(query):
            if query == 'hang': {statement}
            return ['k1']
    """


@pytest.mark.parametrize(
    ("hang", "concurrency"), [(WAITING, 1), (WAITING, 3), (ASLEEP, 1), (ASLEEP, 3), (BLOCKING, 1)]
)
def test_a_hang_is_a_timeout_and_closing_does_not_wait_for_it(hang: tuple[str, str], concurrency: int) -> None:
    write(_hanging(*hang))
    asked = [request("q1"), request("q2", "hang"), request("q3")]
    seen: list[str] = []
    spec = spec_of(timeout=0.5, concurrency=concurrency)
    with opened(spec) as retriever, pytest.raises(RetrieverError) as caught:
        _told(retriever, asked, seen)

    assert seen == ["q1"]
    assert (caught.value.code, caught.value.what) == ("timeout", "no answer came within 0.5 s")


def test_a_hang_beyond_the_whole_runs_time_is_told_so() -> None:
    failure = failure_of(_hanging(*WAITING), request("q1"), request("q2", "hang"), spec=spec_of(total_timeout=0.5))

    assert (failure.code, failure.what) == ("total-timeout", "all answers together took longer than 0.5 s")


def test_an_import_that_hangs_is_a_timeout() -> None:
    write("import threading\nRELEASED = threading.Event()\nRELEASED.wait(60)\n")
    settings = PythonSettings(python_path=("code",), start_timeout=0.5)
    spec = AblationSpec(
        id=AblationId("mine"), retriever="python:mine:search", transport=Transport(settings=settings)
    )
    with pytest.raises(RetrieverError) as caught, opened(spec):
        pass

    assert caught.value.code == "timeout"


# What is refused before anything runs


@pytest.mark.parametrize("address", ["", "mine", "mine:", ":search", "mine:search()", "a b:c", "m:c:d", "m:if"])
def test_an_address_that_names_no_attribute_is_refused(address: str) -> None:
    spec = AblationSpec(id=AblationId("mine"), retriever=f"python:{address}")
    with pytest.raises(ConfigError) as caught:
        check_python(spec)

    assert caught.value.code == "no-attribute"


def test_a_folder_that_is_not_there_is_refused_and_one_that_is_there_is_taken() -> None:
    with pytest.raises(ConfigError) as caught:
        check_python(spec_of())
    assert caught.value.code == "no-folder"

    Path("code").mkdir()
    check_python(spec_of())


def test_it_runs_in_the_workers_own_process() -> None:
    assert runs_in_process(spec_of())
    assert not runs_in_process(AblationSpec(id=AblationId("mine"), retriever="builtin"))
