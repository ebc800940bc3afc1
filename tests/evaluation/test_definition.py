"""Which hash moves with which field of what is evaluated, and that all the others stay."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.config import AblationSpec, Channel
from retrieval_gate.base.fixture import Document, Principal, Query
from retrieval_gate.base.hashes import Components, Definition
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.base.transport import HttpSettings, Transport
from retrieval_gate.evaluation import definition
from retrieval_gate.evaluation.definition import define
from retrieval_gate.evaluation.plan import Plan
from tests.evaluation.edits import FIXTURE, OTHER, PARTS_ONLY, PLAN, Edit, edits, walk

EDITS = list(edits())
HELLO = Hello(name="builtin", version="1", fingerprint="private", capabilities=frozenset({"asOf"}))
HELLOS = [(AblationId("lexical"), HELLO)]

LABELS = {"labels", "evaluation"}
CORPUS = {"corpus", "system"}  # the first seed's evaluation hash leaves the corpus out: it has its own
SETTINGS = {"settings", "system", "evaluation"}
ABLATIONS = {"ablations", "system", "evaluation"}
# How answers are got, and how long that may take: no other answers, so no other evaluation.
MOVES_NOTHING = {
    *(f"Transport.{name}" for name in ("timeout", "total_timeout", "concurrency", "answer_bytes", "shared")),
    "PythonSettings.python_path",
    "PythonSettings.start_timeout",
    "ExecSettings.stderr",
    "ExecSettings.start_timeout",
    "HttpSettings.headers",
    "HttpSettings.ca_file",
    "HttpSettings.retries",
    "McpSettings.stderr",
    "McpSettings.start_timeout",
}
ALIASES = {"aliases", "system", "evaluation"}
PROVIDERS = {"providers", "system", "evaluation"}

# Where in the plan a field stands -> the hashes that move with it.
MOVES: dict[str, set[str]] = {
    "fixture.id": LABELS,
    "fixture.version": LABELS,
    "fixture.provenance": LABELS,
    "fixture.documents": CORPUS,
    "fixture.queries": LABELS,
    "fixture.principals": LABELS,
    "fixture.as_of": LABELS,
    "fixture.exempt": LABELS,
    "fixture.conflicts": LABELS,
    "ablations": ABLATIONS,
    "metrics": SETTINGS,
    "engine": SETTINGS,
    "aliases": ALIASES,
    "k": SETTINGS,
    # Made from the others: nothing is evaluated differently.
    "slices": set(),
    "left_out": set(),
    "substituted": set(),
}
# The queries whose own hash moves, by the field edited: the first query is q1, whose principal is p1, the first.
QUERIES_MOVED: dict[str, set[str]] = {
    "Fixture.queries": {"q2", "q3"},
    "Fixture.as_of": {"q1", "q3"},  # q2 has a time of its own
    "Query.id": {"q1", "q9"},
    "Fixture.principals": set(),  # p2, which no query asks as, is taken away
    "Principal.id": {"q1"},
    "Principal.tenant": {"q1"},
    "Principal.attributes": {"q1"},
}


def _defined(plan: Plan) -> Definition:
    return define(plan, HELLOS)


def _moved(one: Definition, other: Definition) -> set[str]:
    """The names of the hashes that differ."""
    components = {
        field.name
        for field in fields(Components)
        if getattr(one.components, field.name) != getattr(other.components, field.name)
    }
    return components | ({"evaluation"} if one.evaluation != other.evaluation else set())


def _queries_moved(one: Definition, other: Definition) -> set[str]:
    """The ids of the queries whose hash differs, or that one of the two has not."""
    return {query for query, _ in set(one.queries) ^ set(other.queries)}


def test_the_walk_has_another_value_for_every_field_and_for_nothing_else() -> None:
    kinds = {type(value) for _, value in walk(PLAN)}

    assert kinds == set(OTHER)
    for kind in kinds:
        assert [field.name for field in fields(kind)] == list(OTHER[kind]), kind.__name__


def test_every_edit_is_one() -> None:
    assert len(EDITS) == len([name for kind in OTHER.values() for name in kind]) - len(PARTS_ONLY)
    assert [edit.name for edit in EDITS if edit.plan == PLAN] == []


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_a_field_moves_its_own_hash_and_no_other(edit: Edit) -> None:
    moves = set() if edit.name in MOVES_NOTHING else MOVES[edit.group]

    assert _moved(_defined(PLAN), _defined(edit.plan)) == moves


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_a_field_moves_the_hashes_of_its_own_queries_alone(edit: Edit) -> None:
    default = {"q1"} if edit.group == "fixture.queries" else set()

    assert _queries_moved(_defined(PLAN), _defined(edit.plan)) == QUERIES_MOVED.get(edit.name, default)


def test_what_moves_nothing_is_there() -> None:
    assert {edit.name for edit in EDITS} >= MOVES_NOTHING


def test_a_default_that_is_written_out_moves_nothing() -> None:
    ours = AblationSpec(id=AblationId("ours"), retriever="http://localhost/")
    written = replace(ours, transport=Transport(settings=HttpSettings(preset="contract")))

    one, other = (replace(PLAN, ablations=(spec,)) for spec in (ours, written))

    assert _moved(_defined(one), _defined(other)) == set()


def test_a_built_in_ablation_is_hashed_by_its_four_own_settings_as_ever() -> None:
    lexical = AblationSpec(
        id=AblationId("lexical"), retriever="builtin", channels=(Channel(name="lexical", weight=1.0),)
    )

    found = _defined(replace(PLAN, ablations=(lexical,))).components.ablations

    assert found == "ff4a0d3778ce1156dd2f6b8883e2dd26474bf4f7089f9f2faebbb1b1a314fbae"


@pytest.mark.parametrize(
    ("constant", "moves"),
    [
        ("TOKENIZER_VERSION", {"tokenizer", "system", "evaluation"}),
        ("ENGINE_VERSION", SETTINGS),
        ("METRIC_VERSION", LABELS),
    ],
)
def test_a_version_of_the_product_moves_its_hash(
    monkeypatch: pytest.MonkeyPatch, constant: str, moves: set[str]
) -> None:
    before = _defined(PLAN)
    monkeypatch.setattr(definition, constant, "another")

    assert _moved(before, _defined(PLAN)) == moves
    assert _queries_moved(before, _defined(PLAN)) == set()


# `capabilities` say what can be asked of a retriever, not what it answers with.
HELLO_MOVES: dict[str, tuple[object, set[str]]] = {
    "name": ("other", PROVIDERS),
    "version": ("2", PROVIDERS),
    "fingerprint": ("secret", PROVIDERS),
    "capabilities": (frozenset({"seed"}), set()),
}


def test_every_field_of_a_retrievers_introduction_is_walked() -> None:
    assert [field.name for field in fields(Hello)] == list(HELLO_MOVES)


@pytest.mark.parametrize("field", HELLO_MOVES)
def test_what_a_retriever_says_of_itself_moves_the_providers(field: str) -> None:
    value, moves = HELLO_MOVES[field]
    changed = replace(HELLO, **{field: value})  # type: ignore[arg-type]  # the field is a parameter

    assert _moved(_defined(PLAN), define(PLAN, [(AblationId("lexical"), changed)])) == moves


def test_every_hash_is_moved_by_something() -> None:
    reached = set().union(*MOVES.values(), *(moves for _, moves in HELLO_MOVES.values()), {"tokenizer"})

    assert reached == {field.name for field in fields(Components)} | {"evaluation"}


@given(st.permutations(FIXTURE.documents), st.permutations(FIXTURE.queries), st.permutations(FIXTURE.principals))
def test_the_order_in_the_file_moves_nothing(
    documents: list[Document], queries: list[Query], principals: list[Principal]
) -> None:
    shuffled = replace(FIXTURE, documents=tuple(documents), queries=tuple(queries), principals=tuple(principals))
    before, after = _defined(PLAN), _defined(replace(PLAN, fixture=shuffled))

    assert _moved(before, after) == set()
    assert _queries_moved(before, after) == set()
    assert [query for query, _ in after.queries] == [query.id for query in shuffled.queries]


def test_the_order_of_chunks_is_the_text_and_moves_the_corpus() -> None:
    first = FIXTURE.documents[0]
    turned = replace(FIXTURE, documents=(replace(first, chunks=first.chunks[::-1]), *FIXTURE.documents[1:]))

    assert _moved(_defined(PLAN), _defined(replace(PLAN, fixture=turned))) == CORPUS


def test_text_that_slides_from_one_document_into_the_next_moves_the_corpus() -> None:
    first, second = FIXTURE.documents
    slid = replace(
        FIXTURE,
        documents=(
            replace(first, chunks=first.chunks[:1]),
            replace(second, chunks=(first.chunks[1], *second.chunks)),
        ),
    )

    assert _moved(_defined(PLAN), _defined(replace(PLAN, fixture=slid))) == CORPUS


def test_a_hash_says_nothing_but_sixty_four_hex_digits() -> None:
    made = _defined(PLAN)
    hashes = [made.evaluation, *(getattr(made.components, field.name) for field in fields(Components))]
    hashes += [own for _, own in made.queries]

    assert [text for text in hashes if len(text) != 64 or set(text) - set("0123456789abcdef")] == []
