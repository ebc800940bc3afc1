"""From bytes to the values that the rest of the line sees, on small fixtures and on real sets."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval_gate.base.errors import FixtureError
from retrieval_gate.base.fixture import Access, IndexState, JudgedLevel, Split, State
from retrieval_gate.base.places import Severity
from retrieval_gate.inputs.fixture import RULES, check_fixture, load_fixture
from tests.inputs.fixtures import encoded, judgment, sound
from tests.shared import shared


def test_a_sound_fixture_is_loaded_in_file_order_with_defaults() -> None:
    loaded = load_fixture(encoded(sound()), file="small.json")
    fixture = loaded.fixture
    assert loaded.warnings == ()
    assert [document.id for document in fixture.documents] == ["doc-tea", "doc-cha"]
    assert [query.id for query in fixture.queries] == ["q-en", "q-en-none", "q-zh", "q-zh-none"]
    document, query = fixture.documents[0], fixture.queries[0]
    assert (document.index_state, document.access, document.effective_from) == (IndexState.READY, None, None)
    assert (query.split, query.level, query.expected_state) == (Split.DEV, JudgedLevel.CHUNK, None)
    assert (fixture.as_of, fixture.principals, fixture.exempt, fixture.conflicts) == (None, (), (), ())


def test_every_field_arrives() -> None:
    raw = sound() | {
        "asOf": "2026-06-01T08:00:00+08:00",
        "principals": [{"id": "p1", "tenant": "north", "attributes": {"role": ["b", "a"], "campus": ["c"]}}],
        "exempt": ["url", "email"],
        "conflicts": [],
    }
    chunks = [
        {"id": "mate-1", "content": "Mate is steeped."},
        {"id": "mate-2", "content": "It is hot.", "start": 38},
    ]
    raw["documents"].append({"id": "doc-mate", "title": "Mate", "chunks": chunks})
    raw["documents"][2] |= {
        "language": "en",
        "source": "tea guide",
        "owner": "the kitchen",
        "effectiveFrom": "2026-01-01T00:00:00Z",
        "effectiveTo": "2027-01-01T00:00:00Z",
        "revokedAt": "2026-12-01T00:00:00Z",
        "indexState": "indexing",
        "versionLabel": "v2",
        "access": {"tenant": "north", "allow": {"role": ["b", "a"]}},
    }
    raw["queries"][1] |= {
        "split": "heldout",
        "principal": "p1",
        "asOf": "2026-07-01T00:00:00Z",
        "expectedState": "ABSTAINED",
        "forbidden": ["mate-2"],
        "stale": ["mate-1"],
        "tags": ["near-miss"],
        "reviews": [{"reviewer": "r1", "chunkId": "tea-1", "relevance": 0}],
    }
    fixture = load_fixture(encoded(raw), file="small.json").fixture
    document, query = fixture.documents[2], fixture.queries[1]
    assert fixture.as_of == datetime(2026, 6, 1, tzinfo=UTC)
    assert fixture.exempt == ("email", "url")
    assert fixture.principals[0].attributes == (("campus", ("c",)), ("role", ("a", "b")))
    assert document.access == Access(tenant="north", allow=(("role", ("a", "b")),))
    assert (document.source, document.owner, document.version_label) == ("tea guide", "the kitchen", "v2")
    assert document.effective_to == datetime(2027, 1, 1, tzinfo=UTC)
    assert document.revoked_at == datetime(2026, 12, 1, tzinfo=UTC)
    assert document.index_state is IndexState.INDEXING
    assert [chunk.start for chunk in document.chunks] == [None, 38]
    assert (query.split, query.principal, query.expected_state) == (Split.HELDOUT, "p1", State.ABSTAINED)
    assert (query.forbidden, query.stale, query.tags) == (("mate-2",), ("mate-1",), ("near-miss",))
    assert query.as_of == datetime(2026, 7, 1, tzinfo=UTC)
    assert [(review.reviewer, review.unit, review.relevance) for review in query.reviews] == [("r1", "tea-1", 0)]


def test_spans_become_offsets_in_code_points() -> None:
    raw = sound()
    raw["documents"][0]["chunks"][0]["content"] = "😀 tea and tea"
    raw["queries"][0]["judgments"] = [judgment("tea-1", "tea", "and tea")]
    raw["queries"][0]["judgments"][0]["spans"].append({"text": "tea", "start": 10})
    loaded = load_fixture(encoded(raw), file="small.json")
    spans = loaded.fixture.queries[0].judgments[0].spans
    assert [(span.chunk, span.start, span.end, span.declared) for span in spans] == [
        ("tea-1", 2, 5, False),
        ("tea-1", 6, 13, False),
        ("tea-1", 10, 13, True),
    ]
    assert [(warning.rule, warning.severity) for warning in loaded.warnings] == [
        ("ambiguous-span", Severity.WARNING)
    ]


def test_a_span_of_a_document_names_the_chunk_that_holds_it() -> None:
    raw = sound()
    by_document = {"documentId": "doc-tea", "relevance": 2, "spans": [{"text": "four minutes"}]}
    raw["queries"][0]["judgments"] = [by_document]
    query = load_fixture(encoded(raw), file="small.json").fixture.queries[0]
    (span,) = query.judgments[0].spans
    assert query.level is JudgedLevel.DOCUMENT
    assert (query.judgments[0].unit, span.chunk, span.start, span.end) == ("doc-tea", "tea-2", 16, 28)


def test_a_bad_fixture_raises_with_all_problems_and_warnings() -> None:
    raw = sound()
    raw["queries"][0]["judgments"] = [judgment("tea-1", "t", "coffee")]
    raw["version"] = 0
    with pytest.raises(FixtureError) as caught:
        load_fixture(encoded(raw), file="small.json")
    assert caught.value.what == "the fixture has 2 problems"
    found = [problem.rule for problem in caught.value.problems]
    assert found == ["out-of-bounds", "ambiguous-span", "inexact-span"]


@pytest.mark.shared
def test_the_reference_fixture_is_accepted_unchanged() -> None:
    loaded = load_fixture(shared("oracle/reference/fixture.json").read_bytes(), file="fixture.json")
    assert (len(loaded.fixture.documents), len(loaded.fixture.queries), loaded.warnings) == (15, 16, ())


@pytest.mark.shared
def test_real_text_in_three_languages_is_accepted() -> None:
    loaded = load_fixture(shared("data/real-v1-en-zh-hi.json").read_bytes(), file="real.json")
    assert Counter(query.language for query in loaded.fixture.queries) == {"en": 134, "zh": 134, "hi": 134}
    assert {warning.rule for warning in loaded.warnings} == {"ambiguous-span"}


@pytest.mark.shared
def test_a_public_set_of_12_thousand_queries_is_accepted() -> None:
    loaded = load_fixture(shared("data/squad2-dev.json").read_bytes(), file="squad2.json")
    assert len(loaded.fixture.queries) == 11_873
    assert {warning.rule for warning in loaded.warnings} == {"ambiguous-span", "same-query-different-labels"}


@pytest.mark.shared
def test_each_of_the_73_inexact_spans_is_one_line_with_its_place() -> None:
    data = shared("data/hinglish-codemixed-train.json").read_bytes()
    problems = check_fixture(data, file="hinglish.json")
    inexact = [problem for problem in problems if problem.rule == "inexact-span"]
    lines = {problem.place.line for problem in inexact}
    assert (len(inexact), len(lines)) == (73, 73)
    assert all("offset" in problem.message and "\n" not in str(problem) for problem in inexact)
    others = Counter(problem.rule for problem in problems if problem.severity is Severity.ERROR)
    assert others == {"inexact-span": 73, "language-without-no-answer": 1}


CANARY = "Zq canary 茶 zQ"
_NAMES = st.sampled_from(
    (
        *("version", "id", "provenance", "kind", "license", "documents", "title", "chunks", "content", "start"),
        *("language", "source", "owner", "contentHash", "effectiveFrom", "effectiveTo", "indexState", "tenant"),
        *("revokedAt", "versionLabel", "access", "allow", "queries", "query", "noAnswer", "judgments", "chunkId"),
        *("documentId", "relevance", "spans", "text", "split", "principal", "asOf", "expectedState", "stale"),
        *("forbidden", "tags", "reviews", "reviewer", "principals", "attributes", "exempt", "schema", "other"),
        CANARY,
    )
)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 4)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([CANARY, f"{CANARY}\x01", f"/home/{CANARY}", f"a@b.example {CANARY}", "", "en"])
    | st.text(max_size=3).filter(lambda text: text.isprintable()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=20,
)


def _silent(data: bytes) -> None:
    """Whatever the bytes: known rules, one line each, and never the canary."""
    problems = check_fixture(data, file="x.json")
    known = {rule.id for rule in RULES}
    assert {problem.rule for problem in problems} <= known
    for problem in problems:
        assert "canary" not in str(problem)
        assert "\n" not in str(problem)


@settings(deadline=None)
@given(_VALUES)
def test_no_json_makes_the_check_fail_or_speak(value: object) -> None:
    _silent(encoded(value))


@settings(deadline=None)
@given(st.data())
def test_no_change_of_a_sound_fixture_makes_the_check_fail_or_speak(data: st.DataObject) -> None:
    raw = sound()
    for _ in range(data.draw(st.integers(1, 3))):
        holder: object = raw
        for _ in range(data.draw(st.integers(0, 6))):
            inner = _containers(holder)
            if not inner:
                break
            holder = data.draw(st.sampled_from(inner))
        _disturb(holder, data)
    _silent(encoded(raw))


def _containers(value: object) -> list[object]:
    items = list(value.values()) if isinstance(value, dict) else value
    return [item for item in items if item and isinstance(item, dict | list)] if isinstance(items, list) else []


def _disturb(holder: object, data: st.DataObject) -> None:
    """Writes any value at one place of a container, or under a name of its own."""
    if isinstance(holder, dict):
        names = st.sampled_from(sorted(holder)) if holder else _NAMES
        holder[data.draw(names | _NAMES)] = data.draw(_VALUES)
    elif isinstance(holder, list):
        holder[data.draw(st.integers(0, len(holder) - 1))] = data.draw(_VALUES)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_make_the_check_fail(data: bytes) -> None:
    _silent(data)


def test_the_canary_is_found_where_it_is_put() -> None:
    raw = sound()
    raw["documents"][0]["title"] = CANARY
    assert CANARY in encoded(raw).decode("utf-8")
    assert load_fixture(encoded(raw), file="x.json").fixture.documents[0].title == CANARY
