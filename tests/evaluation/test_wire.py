"""What a worker says arrives as it was said; whatever is not a message is refused, never taken for one."""

from __future__ import annotations

import io
import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.ids import AblationId, ChunkId
from retrieval_gate.base.record import Observation
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.evaluation.serving import Crashed, pass_on, receive
from retrieval_gate.evaluation.wire import (
    Finished,
    Introduced,
    Message,
    Order,
    from_line,
    order_for,
    to_line,
)
from tests.base.test_record_json import RECORDS
from tests.evaluation.edits import PLAN
from tests.evaluation.seen import seen

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
OBSERVATIONS = st.builds(
    Observation,
    record=RECORDS,
    hits=st.lists(st.tuples(TEXTS.map(ChunkId), st.none() | NUMBERS), max_size=4).map(tuple),
    context_digest=st.none() | TEXTS,
    latency_ns=st.integers(0, 2**53),
)
INTRODUCTIONS = st.builds(
    Introduced,
    ablation=TEXTS.map(AblationId),
    hello=st.builds(
        Hello, name=TEXTS, version=TEXTS, fingerprint=TEXTS, capabilities=st.frozensets(TEXTS, max_size=4)
    ),
)
FAILURES = st.builds(
    RetrieverFailure,
    run=st.sampled_from([1, 2]),
    ablation=st.none() | TEXTS.map(AblationId),
    code=TEXTS,
    detail=TEXTS,
)
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    OBSERVATIONS, INTRODUCTIONS, FAILURES, st.builds(Crashed, trace=TEXTS), st.builds(Finished)
)


@given(MESSAGES)
def test_a_message_survives_its_line(message: Message) -> None:
    line = to_line(message)

    assert from_line(line.encode("utf-8")) == message
    assert from_line(f"{line}\n".encode()) == message


@given(st.lists(st.sampled_from([("a", 0.5), ("a", None), ("b", 0.5)]), max_size=6), st.integers(0, 9))
def test_what_both_runs_say_alike_keeps_the_time_of_each(said: list[tuple[str, float | None]], first: int) -> None:
    messages = [replace(seen(hit), latency_ns=time) for time, hit in enumerate(said, start=first)]

    assert [from_line(to_line(message).encode()) for message in messages] == messages


@given(MESSAGES)
def test_a_message_is_one_line_whatever_its_texts_hold(message: Message) -> None:
    assert b"\n" not in to_line(message).encode("utf-8")


@given(st.frozensets(TEXTS, min_size=2, max_size=5))
def test_capabilities_are_written_in_one_order(names: frozenset[str]) -> None:
    hello = Hello(name="n", version="1", fingerprint="f", capabilities=names)

    assert json.loads(to_line(Introduced(ablation=AblationId("a"), hello=hello)))[-1] == sorted(names)


def test_the_form_of_the_lines() -> None:
    failure = RetrieverFailure(run=2, ablation=None, code="wrong-id", detail="d")

    assert to_line(Finished()) == '["finished"]'
    assert to_line(Crashed(trace="t")) == '["crashed","t"]'
    assert to_line(failure) == '["failed",2,null,"wrong-id","d"]'


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_number_can_not_be_said(score: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_line(seen(("a", score)))


NO_MESSAGES = [
    b"",
    b"\n",
    b"Hello from a library\n",
    b"\xff\xfe",
    b"null",
    b"7",
    b"[]",
    b"{}",
    b'"finished"',
    b'{"finished": []}',
    b'["finished"',
    b'["finished"] ["finished"]',
    b'["finished", 1]',
    b'["Finished"]',
    b'["unknown"]',
    b"[7]",
    b"[[]]",
    b'["crashed"]',
    b'["crashed", 1]',
    b'["failed", 1, "a", "code"]',
    b'["failed", "1", "a", "code", "detail"]',
    b'["failed", true, "a", "code", "detail"]',
    b'["failed", 1, 2, "code", "detail"]',
    b'["failed", 1, "a", null, "detail"]',
    b'["failed", 1, "a", "code", ["detail"]]',
]


@pytest.mark.parametrize("line", NO_MESSAGES)
def test_a_line_that_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        from_line(line)


SEEN = to_line(seen(("a", 0.5), ("b", None), context="c"))
HELLO = to_line(
    Introduced(
        ablation=AblationId("a"),
        hello=Hello(name="n", version="1", fingerprint="f", capabilities=frozenset({"seed"})),
    )
)


@pytest.mark.parametrize(
    ("line", "place", "value"),
    [
        (SEEN, 1, None),
        (SEEN, 1, []),
        (SEEN, 2, None),
        (SEEN, 2, "ab"),
        (SEEN, 2, {"a": 0.5}),
        (SEEN, 2, ["a"]),
        (SEEN, 2, [["a"]]),
        (SEEN, 2, [["a", 0.5, 1]]),
        (SEEN, 2, [["a", "0.5"]]),
        (SEEN, 2, [["a", True]]),
        (SEEN, 2, [["a", float("nan")]]),
        (SEEN, 2, [["a", float("inf")]]),
        (SEEN, 2, [[1, 0.5]]),
        (SEEN, 3, 7),
        (SEEN, 4, None),
        (SEEN, 4, "1"),
        (SEEN, 4, 1.5),
        (SEEN, 4, -1),
        (HELLO, 1, None),
        (HELLO, 2, 7),
        (HELLO, 3, None),
        (HELLO, 4, []),
        (HELLO, 5, "seed"),
        (HELLO, 5, [7]),
        (HELLO, 5, None),
    ],
)
def test_a_field_of_another_type_is_refused(line: str, place: int, value: Any) -> None:
    message = json.loads(line)
    from_line(json.dumps(message).encode("utf-8"))  # the twin, unchanged, is read
    message[place] = value

    with pytest.raises((ValueError, TypeError)):
        from_line(json.dumps(message).encode("utf-8"))


@pytest.mark.parametrize("line", [SEEN, HELLO])
def test_a_message_with_a_field_too_many_or_too_few_is_refused(line: str) -> None:
    message = json.loads(line)

    for other in ([*message, 1], message[:-1]):
        with pytest.raises((ValueError, TypeError)):
            from_line(json.dumps(other).encode("utf-8"))


@given(st.binary(max_size=40))
def test_noise_is_never_a_message(noise: bytes) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        from_line(noise)


def test_an_order_arrives_whole(tmp_path: Path) -> None:
    sent = order_for(PLAN, 2, tmp_path)
    stream = io.BytesIO()
    pass_on(sent, stream)
    stream.seek(0)

    received = receive(stream, Order)

    assert received == sent
    assert (sent.run, sent.folder, sent.fixture, sent.ablations) == (2, tmp_path, PLAN.fixture, PLAN.ablations)
    assert (sent.engine, sent.aliases, sent.k) == (PLAN.engine, PLAN.aliases, PLAN.k)


def test_a_stream_that_ends_without_an_order_holds_none() -> None:
    assert receive(io.BytesIO(), Order) is None


def test_anything_but_an_order_is_refused() -> None:
    with pytest.raises(TypeError):
        receive(io.BytesIO(pickle.dumps({"run": 1})), Order)
