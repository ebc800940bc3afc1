"""Python retrievers whose values raise as they are read, answer as async generators, or share a name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.transport import PythonSettings, Transport
from tests.retrievers.mine import SECRET, failure_of, ids_of, opened, request, spec_of

pytestmark = pytest.mark.usefixtures("own_modules")

RAISES = f"raise RuntimeError('{SECRET}')"


# Values that raise as they are read


@pytest.mark.parametrize(
    "source",
    [
        f"""
        class Lazy:
            def __len__(self): {RAISES}
            def __getitem__(self, place): {RAISES}
            def __iter__(self): {RAISES}
        def search(query): return Lazy()
        """,
        f"""
        class Odd(dict):
            def get(self, *_): {RAISES}
        def search(query): return [Odd(id='k1')]
        """,
        f"""
        from collections.abc import Mapping
        class Odd(Mapping):
            def __getitem__(self, key): {RAISES}
            def __iter__(self): return iter(['id'])
            def __len__(self): return 1
        def search(query): return Odd()
        """,
    ],
)
@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_answer_that_raises_as_it_is_read_is_told_by_its_line(source: str, concurrency: int) -> None:
    failure = failure_of(source, request("q1"), request("q2"), spec=spec_of(concurrency=concurrency))

    assert failure.code == "retriever-raised"
    assert failure.what.startswith("reading its answer raised RuntimeError at line ")
    assert failure.what.endswith(" of mine.py")


@pytest.mark.parametrize(
    "members",
    [
        f"def __getattr__(self, name): {RAISES}",
        f"seed = property(lambda self: (_ for _ in ()).throw(RuntimeError('{SECRET}')))",
        f"@property\n            def answer(self): {RAISES}",
    ],
)
@pytest.mark.parametrize("per_principal", [False, True])
def test_an_object_that_raises_as_it_is_read_is_told(members: str, per_principal: bool) -> None:
    source = f"""
        class Store:
            {members}
            def search(self, query): return ['k1']
        store = Store()
        search = (lambda principal: store) if {per_principal} else store
    """
    if per_principal and "seed" in members:  # what a factory makes is asked for its answers alone
        assert ids_of(source, spec=spec_of(per_principal=True)) == [["k1"]]
        return
    failure = failure_of(source, spec=spec_of(per_principal=per_principal))

    assert failure.code == "retriever-raised"
    assert failure.what.startswith("reading the retriever raised RuntimeError at line ")


def test_one_whose_close_can_not_be_read_is_left() -> None:
    source = f"""
        class search:
            @property
            def close(self): {RAISES}
            def search(self, query): return ['k1']
    """
    assert ids_of(source) == [["k1"]]


@pytest.mark.parametrize(
    "score", ["__import__('numpy').array([1.0, 2.0])", "type('Odd', (), {'__float__': lambda self: 1 / 0})()"]
)
def test_a_score_that_can_not_be_a_float_is_refused_by_the_contract(score: str) -> None:
    failure = failure_of(f"def search(query): return [{{'id': 'k1', 'score': {score}}}]")

    assert (failure.code, failure.what) == ("bad-answer", "hits[0].score is not a number")


def test_a_member_that_raises_as_the_contract_reads_it_is_refused() -> None:
    source = f"""
        class Odd:
            def __hash__(self): {RAISES}
            def __eq__(self, other): {RAISES}
        def search(query): return {{'hits': [], 'state': Odd()}}
    """
    assert failure_of(source).code == "bad-answer"


# Async generators


@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_async_generator_is_read_to_its_end(concurrency: int) -> None:
    source = """
        import asyncio
        async def search(query):
            yield 'k1'
            await asyncio.sleep(0)
            yield 'd1'
    """
    asked = [request("q1"), request("q2")]

    assert ids_of(source, *asked, spec=spec_of(concurrency=concurrency)) == [["k1", "d1"]] * 2


def test_what_an_async_generator_raises_is_told() -> None:
    failure = failure_of(f"async def search(query):\n    yield 'k1'\n    {RAISES}")

    assert failure.what == "answering raised RuntimeError at line 3 of mine.py"


# Modules of one name


def _two(first: str, second: str, module: str = "mine") -> list[AblationSpec]:
    return [
        replace(
            spec_of(),
            id=AblationId(f"a{number}"),
            retriever=f"python:{module}:search",
            transport=Transport(settings=PythonSettings(python_path=(folder,), start_timeout=20)),
        )
        for number, folder in enumerate((first, second))
    ]


def _put(file: str, answer: str) -> None:
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text(f"def search(query): return ['{answer}']\n", encoding="utf-8")


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
@pytest.mark.parametrize(
    ("module", "file"),
    [("mine", "mine.py"), ("mine_package.search", "mine_package/search.py")],
)
def test_two_modules_of_one_name_are_not_measured_as_one(order: tuple[str, str], module: str, file: str) -> None:
    for folder in order:
        _put(f"{folder}/{file}", "k1")
    with pytest.raises(RetrieverError) as caught, opened(*_two(*order, module)):
        pass

    assert (caught.value.code, caught.value.ablation) == ("module-collision", "a1")


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_each_ablation_imports_from_its_own_folders_first(order: tuple[str, str]) -> None:
    _put("one/mine_search.py", "k1")
    _put("two/mine_search.py", "d1")
    _put("two/mine_other.py", "e1")
    specs = _two(*order, "mine_search")
    at = order.index("two")
    specs[at] = replace(specs[at], retriever="python:mine_other:search")
    with opened(*specs) as retrievers:
        found = [[hit.chunk for hit in next(each.answer([request()])).hits] for each in retrievers]

    assert found == [["k1"] if folder == "one" else ["e1"] for folder in order]


@pytest.mark.parametrize("again", ["one", "one/../one"])
def test_two_ablations_of_one_module_are_no_collision(again: str) -> None:
    _put("one/mine.py", "k1")
    with opened(*_two("one", again)) as retrievers:
        found = [[hit.chunk for hit in next(each.answer([request()])).hits] for each in retrievers]

    assert found == [["k1"], ["k1"]]


def test_a_module_of_a_library_s_name_is_not_measured_in_its_place() -> None:
    _put("one/json.py", "k1")
    with pytest.raises(RetrieverError) as caught, opened(_two("one", "one", "json")[0]):
        pass

    assert caught.value.code == "module-collision"
