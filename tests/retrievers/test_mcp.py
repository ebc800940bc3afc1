"""`mcp:` with real servers over stdio: one by hand that does one thing wrong, and one of the official SDK."""

from __future__ import annotations

import importlib.util
import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from retrieval_gate.base.errors import ConfigError, RetrieverError
from retrieval_gate.base.transport import McpSettings, Transport
from retrieval_gate.report.names import FAILURE_CODES
from retrieval_gate.retrievers.mcp_tool import arguments_of
from retrieval_gate.retrievers.table import check_retriever, open_retrievers
from tests.retrievers.asking import Asked, ask, ids, opened, opening, python_program, request, spec


def program(behaviour: str) -> str:
    return python_program("mcp", "mcp_misbehaving.py", behaviour)


def asked(folder: Path, behaviour: str, transport: Transport | None = None) -> Asked:
    with opened(folder, spec(program(behaviour), transport or Transport())) as retriever:
        return ask(retriever)


def failed_to_open(folder: Path, behaviour: str, settings: McpSettings | None = None) -> RetrieverError:
    with (
        pytest.raises(RetrieverError) as caught,
        opened(folder, spec(program(behaviour), Transport(settings=settings))),
    ):
        pass
    assert "canary" not in str(caught.value)
    assert caught.value.code in FAILURE_CODES
    return caught.value


def chunks(answers: Asked) -> list[list[str]]:
    return [[hit.chunk for hit in response.hits] for response in answers.responses]


def test_a_server_that_behaves_answers_every_question_in_order(tmp_path: Path) -> None:
    with opened(tmp_path, spec(program("none"))) as retriever:
        hello = retriever.hello()
        answers = ask(retriever)

    assert (hello.name, hello.version, hello.capabilities) == ("by-hand", "7", frozenset())
    assert (ids(answers), answers.failure) == (["q1", "q2", "q3"], None)
    assert chunks(answers) == [["k1"]] * 3
    assert min(response.elapsed_ns for response in answers.responses) > 0


# Ways in which an answer may come, and the hits of the second question.
WAYS: tuple[tuple[str, list[str]], ...] = (
    ("notifications", ["k1"]),
    ("pings", ["k1"]),
    ("wrapped", ["k1"]),
    ("wrapped-text", ["k1"]),
    ("text", ["k1"]),
    ("texts", ["k1", "k2"]),
    ("other-shape", ["k1"]),
    ("empty", []),
    ("old-version", ["k1"]),
    ("pages", ["k1"]),
)


@pytest.mark.parametrize(("behaviour", "found"), WAYS, ids=[row[0] for row in WAYS])
def test_an_answer_is_understood_however_it_comes(behaviour: str, found: list[str], tmp_path: Path) -> None:
    settings = McpSettings(tool="search") if behaviour == "pages" else None
    answers = asked(tmp_path, behaviour, Transport(settings=settings))

    assert answers.failure is None
    assert chunks(answers) == [["k1"], found, ["k1"]]


def test_answers_of_calls_that_overlap_go_to_their_questions_in_whatever_order_they_come(tmp_path: Path) -> None:
    answers = asked(tmp_path, "swapped", Transport(concurrency=3))

    assert (ids(answers), answers.failure) == (["q1", "q2", "q3"], None)
    assert chunks(answers) == [["k1"], ["z1"], ["d1"]]


# Behaviour at the second question, its code, and words that the message has.
WRONG = (
    ("chatter", "mcp-protocol", "10000 messages"),
    ("contract-error", "retriever-error", "index-offline"),
    ("tool-error", "mcp-tool-error", "reported an error"),
    ("rpc-error", "mcp-error", "-32602"),
    ("rpc-error-of-nothing", "mcp-error", "-32700"),
    ("no-json-text", "not-json", "6 bytes"),
    ("surrogate", "invalid-utf8", "byte 1"),
    ("image", "mcp-content", "neither structured content nor a text"),
    ("no-result", "mcp-protocol", "neither an object"),
    ("no-jsonrpc", "mcp-protocol", "jsonrpc"),
    ("array", "mcp-protocol", "array, not an object"),
    ("banner", "not-json", "15 bytes"),
    ("id-of-another-type", "wrong-id", "no request"),
    ("wrong-id", "wrong-id", "no request"),
    ("request-with-a-list-as-id", "mcp-protocol", "neither a number nor a text"),
    ("crash", "process-died", "status 4"),
    ("too-many", "too-many-hits", "3 hits came where 2"),
    ("nan", "not-json", "not JSON"),
)


@pytest.mark.parametrize(("behaviour", "code", "words"), WRONG, ids=[row[0] for row in WRONG])
def test_each_wrong_answer_has_its_code_and_the_answer_before_it_is_kept(
    behaviour: str, code: str, words: str, tmp_path: Path
) -> None:
    answers = asked(tmp_path, behaviour)

    assert (ids(answers), answers.code) == (["q1"], code)
    assert words in answers.what
    assert "canary" not in answers.what
    assert code in FAILURE_CODES


def test_a_call_answered_twice_is_found_at_the_next(tmp_path: Path) -> None:
    answers = asked(tmp_path, "twice")

    assert (ids(answers), answers.code) == (["q1", "q2"], "answered-twice")


@pytest.mark.parametrize(
    ("behaviour", "tool", "code", "words"),
    [
        ("unknown-version", None, "mcp-version", "2025-11-25"),
        ("no-tool", None, "mcp-no-tool", "0 tools"),
        ("two-tools", None, "mcp-no-tool", "2 tools"),
        ("two-tools", "third", "mcp-no-tool", "2 tools"),
        ("no-query", None, "mcp-arguments", "usual name"),
        ("needs-more", None, "mcp-arguments", "needs 1 more"),
        ("no-list", None, "mcp-protocol", "no list of objects"),
        ("endless-pages", "search", "mcp-protocol", "100 pages"),
    ],
)
def test_a_server_that_can_not_be_asked_is_refused_when_it_is_opened(
    behaviour: str, tool: str | None, code: str, words: str, tmp_path: Path
) -> None:
    failure = failed_to_open(tmp_path, behaviour, McpSettings(tool=tool))

    assert failure.code == code
    assert words in str(failure)


def test_the_tool_is_the_one_that_is_named(tmp_path: Path) -> None:
    answers = asked(tmp_path, "two-tools", Transport(settings=McpSettings(tool="search")))

    assert (ids(answers), answers.failure) == (["q1", "q2", "q3"], None)


def test_a_tool_that_is_not_told_k_has_its_first_k_hits_taken(tmp_path: Path) -> None:
    answers = asked(tmp_path, "no-k")

    assert answers.failure is None
    assert chunks(answers) == [["k1", "k1"]] * 3


def given(folder: Path, arguments: object | None) -> list[object]:
    """What the tool was given with each question."""
    settings = McpSettings(arguments=None if arguments is None else json.dumps(arguments))
    answers = asked(folder, "echo", Transport(settings=settings))
    assert answers.failure is None
    return [json.loads((response.context or ())[0].text or "") for response in answers.responses]


def test_without_a_configuration_the_arguments_are_those_that_the_schema_has(tmp_path: Path) -> None:
    assert given(tmp_path, None) == [{"query": "What does a lost key cost?", "k": 2}] * 3


def test_the_arguments_of_the_configuration_are_filled_for_each_question(tmp_path: Path) -> None:
    arguments = {"text": "{query}", "limit": "{k}", "filter": {"tenant": "{principal.tenant}"}, "fixed": [1]}
    filled = {"text": "What does a lost key cost?", "limit": 2, "fixed": [1]}

    assert given(tmp_path, arguments) == [
        filled | {"filter": {"tenant": "north"}},
        filled | {"filter": {"tenant": "north"}},
        filled | {"filter": {"tenant": None}},
    ]


def test_a_placeholder_that_does_not_exist_is_refused_before_anything_runs() -> None:
    settings = McpSettings(arguments='{"text": "{qery}"}')
    with pytest.raises(ConfigError) as caught:
        check_retriever(spec(program("none"), Transport(settings=settings)))

    assert caught.value.code == "unknown-placeholder"


# The tools of the official SDK's server, and what each says that it can do.
OFFICIAL: tuple[tuple[tuple[str, ...], set[str]], ...] = (
    (("contract",), {"principals"}),
    (("hits",), set()),
    (("hits", "text"), set()),
    (("text",), set()),
)


@pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="the mcp package is not installed")
def test_servers_of_the_official_sdk_are_understood_structured_or_not_with_hits_and_without(
    tmp_path: Path,
) -> None:
    """All at once, since its import takes a second or two."""
    specs = [
        spec(python_program("mcp", "mcp_official.py", *arguments), name=f"mcp-{number}")
        for number, (arguments, _) in enumerate(OFFICIAL)
    ]
    retrievers = open_retrievers(specs, opening(tmp_path))
    with ExitStack() as closing:
        for retriever in retrievers.values():
            closing.callback(retriever.close)
        for (_, capabilities), retriever in zip(OFFICIAL, retrievers.values(), strict=True):
            hello = retriever.hello()
            answers = ask(retriever, [request("q1"), request("q2", "nothing"), request("q3", "canary")])

            assert (hello.name, hello.version) == ("official", "3")
            assert hello.capabilities == capabilities
            assert chunks(answers) == [["k1", "k2"], []]
            assert answers.code == "mcp-tool-error"
            assert "canary" not in answers.what


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({"type": "string"}, "ann"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "ann"),
        ({"anyOf": [{"$ref": "#/$defs/Principal"}, {"type": "null"}]}, {"id": "ann"}),
        ({"anyOf": [{"type": "object"}, {"type": "string"}]}, {"id": "ann"}),
        ({}, {"id": "ann"}),
    ],
)
def test_a_tool_that_takes_its_user_as_a_text_is_told_the_principals_id(schema: object, given: object) -> None:
    tool = {"inputSchema": {"properties": {"query": {"type": "string"}, "user": schema}}}
    message = {"query": "q", "principal": {"id": "ann"}}

    assert arguments_of(tool).fill(message) == {"query": "q", "user": given}
