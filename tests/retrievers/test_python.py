"""Retrievers that are Python objects: how they are found, what they are given, what they say of themselves."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.ids import AblationId, DocumentId
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.base.transport import PythonSettings, Transport
from retrieval_gate.retrievers.port import administered
from tests.retrievers.mine import (
    ADA,
    failure_of,
    hello_of,
    ids_of,
    opened,
    request,
    spec_of,
    write,
)

pytestmark = pytest.mark.usefixtures("own_modules")


# What may answer


def test_a_function_answers() -> None:
    assert ids_of("def search(query): return ['k1', 'k2'] if query == 'lost key' else []") == [["k1", "k2"]]


@pytest.mark.parametrize(
    "method", ["answer", "retrieve", "search", "invoke", "query", "get_relevant_documents", "__call__"]
)
def test_an_objects_method_answers(method: str) -> None:
    source = f"""
        class Own:
            def {method}(self, text): return ['k1']
        search = Own()
    """
    assert ids_of(source) == [["k1"]]


def test_of_several_methods_the_first_in_the_documented_order_answers() -> None:
    source = """
        class Own:
            def __call__(self, text): return ['d1']
            def query(self, text): return ['k2']
            def retrieve(self, text): return ['k1']
        search = Own()
    """
    assert ids_of(source) == [["k1"]]


@pytest.mark.parametrize("attribute", ["Own.at_class", "OWN.deep.bound", "Own", "PARTIAL"])
def test_the_attribute_may_be_dotted_a_class_or_a_partial(attribute: str) -> None:
    source = """
        import functools
        class Own:
            def search(self, text): return ['k1']
            bound = search
            @staticmethod
            def at_class(text): return ['k1']
        class OWN:
            deep = Own()
        PARTIAL = functools.partial(lambda name, text: [name], 'k1')
    """
    assert ids_of(source, spec=spec_of(attribute)) == [["k1"]]


def test_a_module_in_a_package_is_found_and_so_is_its_neighbour() -> None:
    write("", "mine_pack/__init__.py")
    write("IDS = ['k1']", "mine_pack/ids.py")
    write("from . import ids\ndef search(query): return ids.IDS", "mine_pack/own.py")
    spec = AblationSpec(
        id=AblationId("mine"),
        retriever="python:mine_pack.own:search",
        transport=Transport(settings=PythonSettings(python_path=("code",))),
    )
    with opened(spec) as retriever:
        assert [hit.chunk for hit in next(retriever.answer([request()])).hits] == ["k1"]


def test_a_module_of_the_same_name_elsewhere_does_not_come_before_python_path(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.py").write_text("def search(query): return ['d1']", encoding="utf-8")
    sys.path.insert(0, str(other))

    assert ids_of("def search(query): return ['k1']") == [["k1"]]


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize(
    "source",
    [
        "async def search(query): return ['k1']",
        "class Own:\n    async def retrieve(self, query): return ['k1']\nsearch = Own()",
        "async def later(query): return ['k1']\ndef search(query): return later(query)",
        "import asyncio\nasync def later(): return ['k1']\ndef search(query): return asyncio.run(later())",
        "import asyncio\nasync def search(query):\n    await asyncio.sleep(0)\n    return ['k1']",
        "def search(query):\n    yield 'k1'",
    ],
)
def test_it_may_be_async_or_a_generator(source: str, concurrency: int) -> None:
    requests = [request(f"q{number}") for number in range(9)]

    assert ids_of(source, *requests, spec=spec_of(concurrency=concurrency)) == [["k1"]] * 9


def test_coroutines_all_run_on_one_loop_and_on_the_thread_of_the_import() -> None:
    source = """
        import asyncio, threading
        HOME = threading.get_ident()
        LOOPS = set()
        async def search(query):
            LOOPS.add(asyncio.get_running_loop())
            return ['k1'] if threading.get_ident() == HOME and len(LOOPS) == 1 else []
    """
    requests = [request(f"q{number}") for number in range(9)]

    assert ids_of(source, *requests, spec=spec_of(concurrency=3)) == [["k1"]] * 9


def test_what_the_import_opened_for_its_own_thread_can_be_used() -> None:
    source = """
        import sqlite3
        db = sqlite3.connect(':memory:')
        def search(query): return [row[0] for row in db.execute("select 'k1'")]
        class Own:
            def search(self, query): return search(query)
            def close(self): db.close()
        own = Own()
    """
    assert ids_of(source, spec=spec_of("own")) == [["k1"]]


def test_two_ablations_of_one_module_share_what_it_has_opened() -> None:
    write("""
        import threading
        HOME = threading.get_ident()
        def one(query): return ['k1'] if threading.get_ident() == HOME else []
        def two(query): return ['k2'] if threading.get_ident() == HOME else []
    """)
    with opened(spec_of("one"), spec_of("two")) as retrievers:
        found = [next(retriever.answer([request()])).hits[0].chunk for retriever in retrievers]

    assert found == ["k1", "k2"]


# What it is given


@pytest.mark.parametrize(
    ("signature", "seen"),
    [
        ("query", ["lost key"]),
        ("q, /", ["lost key"]),
        ("*, query", ["lost key"]),
        ("*words", ["lost key"]),
        ("query, k", ["lost key", 3]),
        ("query, /, top_k", ["lost key", 3]),
        ("query, *, limit", ["lost key", 3]),
        ("query, n_results=7", ["lost key", 3]),
        ("k, query", [3, "lost key"]),
        ("query, as_of", ["lost key", "2026-01-02T03:04:05Z"]),
        ("query, asOf", ["lost key", "2026-01-02T03:04:05Z"]),
        ("query, language, config=None", ["lost key", "en", None]),
        (
            "query, principal",
            ["lost key", {"id": "ada", "tenant": "north", "attributes": {"role": ["staff"]}}],
        ),
        ("query, **others", ["lost key", {}]),
    ],
)
def test_each_parameter_gets_what_its_name_says(signature: str, seen: list[object]) -> None:
    source = f"SEEN = []\ndef search({signature}):\n    SEEN.append(locals().copy())\n    return []\n"
    ids_of(source, request(principal=ADA))

    passed = [part for value in sys.modules["mine"].SEEN[0].values() for part in _flat(value)]
    assert passed == seen


def _flat(value: object) -> list[object]:
    return list(value) if isinstance(value, tuple) else [value]


def test_a_request_is_the_contracts_whole_message() -> None:
    ids_of("SEEN = []\ndef search(request):\n    SEEN.append(request)\n    return []\n", request(principal=None))

    assert sys.modules["mine"].SEEN == [
        {
            "v": 1,
            "id": "q1",
            "op": "query",
            "query": "lost key",
            "k": 3,
            "principal": None,
            "asOf": "2026-01-02T03:04:05Z",
            "language": "en",
            "trace": True,
        }
    ]


@pytest.mark.parametrize("signature", ["query, tenant", "query, *, tenant"])
def test_a_parameter_that_nothing_is_known_for_is_named(signature: str) -> None:
    failure = failure_of(f"def search({signature}): return []")

    assert failure.code == "unknown-parameter"
    assert failure.what == "the retriever has a parameter tenant that nothing is known for"


def test_a_function_that_takes_nothing_makes_the_retriever() -> None:
    source = """
        def search():
            return lambda query: ['k1']
    """
    assert ids_of(source) == [["k1"]]
    assert failure_of("def search(): return ['k1']").code == "not-a-retriever"


def test_a_method_without_a_parameter_for_the_query_is_refused() -> None:
    source = "class search:\n    def search(self): return []\n"

    assert failure_of(source).code == "unknown-parameter"


def test_a_class_that_needs_something_is_refused() -> None:
    source = "class search:\n    def __init__(self, index): pass\n    def search(self, query): return []\n"

    assert failure_of(source).what == "the retriever has a parameter index that nothing is known for"


# One retriever per principal


PER_PRINCIPAL = """
    MADE = []
    class Own:
        def __init__(self, principal): self.tenant = principal and principal['tenant']
        def search(self, query): return ['k1'] if self.tenant == 'north' else ['d1']
    def search(principal):
        MADE.append(principal and principal['id'])
        return Own(principal)
"""


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("word", ["def search", "async def search"])
def test_each_principals_retriever_is_made_once(word: str, concurrency: int) -> None:
    source = PER_PRINCIPAL.replace("def search(principal)", f"{word}(principal)")
    asked = [request("q1"), request("q2", principal=ADA), request("q3"), request("q4", principal=ADA)]

    found = ids_of(source, *asked, spec=spec_of(per_principal=True, concurrency=concurrency))

    assert found == [["d1"], ["k1"], ["d1"], ["k1"]]
    assert sorted(map(str, sys.modules["mine"].MADE)) == ["None", "ada"]


def test_a_factory_that_makes_nothing_that_answers_is_refused() -> None:
    failure = failure_of("def search(principal): return None", spec=spec_of(per_principal=True))

    assert failure.code == "not-a-retriever"
    assert failure.what == "NoneType is no function and has none of the methods that answer"


# What it says of itself


def test_what_can_be_seen_is_its_capabilities() -> None:
    assert hello_of("def search(query): return []").capabilities == frozenset()
    assert hello_of("def search(query, principal, as_of): return []").capabilities == {"principals", "asOf"}
    assert hello_of(PER_PRINCIPAL, spec_of(per_principal=True)).capabilities == {"principals"}


def test_its_name_is_the_attributes_and_its_fingerprint_that_of_its_file() -> None:
    one = hello_of("def search(query): return []")
    other = hello_of("def search(query): return ['k1']")

    assert (one.name, one.version) == ("search", "")
    assert one.fingerprint
    assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize("form", ["['stages', 'later']", "('stages',)", "{'stages'}"])
def test_its_attributes_win(form: str) -> None:
    source = f"""
        def search(query, principal=None): return []
        search.version, search.fingerprint, search.capabilities = '7', 'own', {form}
    """
    assert hello_of(source) == Hello(
        name="search", version="7", fingerprint="own", capabilities=frozenset({"stages"})
    )


STORE = """
    class Store:
        def __init__(self): self.seen = []; self.found = {}
        def search(self, query): return sorted(self.found)[:3]
        def seed(self, documents, reset=False):
            self.seen.append(('seed', reset, len(documents)))
            for document in documents: self.update(document)
        def update(self, document): self.found[document['chunks'][0]['id']] = document['id']
        async def delete(self, document_id): self.seen.append(('delete', document_id))
        def revoke(self, document_id, at): self.seen.append(('revoke', document_id, at)); return False
        def close(self): self.seen.append('close')
    search = Store()
"""


def test_an_object_with_all_methods_is_seeded_and_changed() -> None:
    write(STORE)
    with opened(spec_of()) as retriever:
        changes = administered(retriever)
        assert changes is not None
        changes.delete(DocumentId("keys"))
        with pytest.raises(RetrieverError) as caught:
            changes.revoke(DocumentId("zh"), datetime(2026, 1, 2, tzinfo=UTC))
        found = [hit.chunk for hit in next(retriever.answer([request()])).hits]

    assert caught.value.code == "change-refused"
    assert found == ["d1", "e1", "k1"]
    assert sys.modules["mine"].search.seen == [
        ("seed", True, 0),
        ("seed", False, 4),
        ("delete", "keys"),
        ("revoke", "zh", "2026-01-02T00:00:00Z"),
    ]


def test_one_without_all_of_them_is_not() -> None:
    assert hello_of(STORE.replace("def revoke", "def withdraw")).capabilities == frozenset()


def test_capabilities_that_have_no_method_are_refused() -> None:
    failure = failure_of("def search(query): return []\nsearch.capabilities = ['seed', 'stages']")

    assert (failure.code, failure.what) == ("bad-hello", "capabilities has seed, and there is no such method")


def test_what_the_gate_made_is_closed_and_what_it_found_is_not() -> None:
    ids_of(
        STORE.replace(
            "search = Store()", "SEEN = []\n    class search(Store):\n        def close(self): SEEN.append(1)"
        )
    )
    assert sys.modules["mine"].SEEN == [1]

    ids_of(STORE)
    assert "close" not in sys.modules["mine"].search.seen
