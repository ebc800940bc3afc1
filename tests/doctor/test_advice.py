"""Advice can be followed: by who has a recording, some of several ablations, a search without principals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from retrieval_gate.base.exits import ExitCode
from tests.doctor.world import command, workspace
from tests.e2e.gate import Gate
from tests.retrievers.servers import Behaviour, Conversation, serving

# Answers to the middle three of the world's five queries, as a run leaves out what it found nothing for.
RUN = "".join(
    f"{query} Q0 {chunk} 1 3.5 tag\n"
    for query, chunk in (("q-south", "fee-08#0"), ("q-bus", "bus-02#0"), ("q-day", "day-03#0"))
)
# A search that knows nobody: only what is open to all is found. By question, as its first words tell it.
OPEN = {"When is the open": "day-03#0", "When does the bus": "bus-02#0"}


def _configured(folder: Path, *ablations: str) -> Gate:
    gate = workspace(folder)
    text = "".join(f"[[ablations]]\n{ablation}\n" for ablation in ablations)
    (folder / "retrieval-gate.toml").write_text(f'fixture = "world.json"\ngates = []\n{text}', encoding="utf-8")
    return gate


def _examined(gate: Gate, *arguments: str) -> dict[str, Any]:
    """The findings by probe of the one ablation, with `asked` and `code` beside them."""
    ran = gate.call("doctor", "--format", "json", *arguments)
    (told,) = json.loads(ran.out)["retrievers"]
    found = {each["probe"]: each for each in told["findings"]}
    return {**found, "asked": told["asked"], "code": ran.code}


def _replay(folder: Path, run: str, settings: str = "") -> dict[str, Any]:
    (folder / "r.trec").write_text(run, encoding="utf-8")
    return _examined(_configured(folder, f'id = "kept"\nretriever = "replay:r.trec"\n{settings}'))


MISSING_IS_EMPTY = "[ablations.replay]\nmissing-is-empty = true"


def test_a_run_that_leaves_queries_out_is_well_where_that_is_allowed(tmp_path: Path) -> None:
    found = _replay(tmp_path, RUN, MISSING_IS_EMPTY)

    assert found["code"] == ExitCode.PASS
    assert found["answers"]["what"] == "5 of 5 questions answered; 1 that have an answer got no hit"
    assert found["answers"]["queries"] == ["q-fee"]


def test_a_run_that_leaves_queries_out_is_told_the_key_that_allows_it(tmp_path: Path) -> None:
    found = _replay(tmp_path, RUN)

    assert found["code"] == ExitCode.RETRIEVER_FAILED
    assert "set replay.missing-is-empty = true where" in found["answers"]["fix"]
    assert found["answers"]["queries"] == ["q-fee"]


def test_a_run_of_other_queries_is_refused_although_missing_is_empty(tmp_path: Path) -> None:
    found = _replay(tmp_path, RUN.replace("q-", "other-"), MISSING_IS_EMPTY)

    assert "the recording has an answer to none of the 5 queries" in found["answers"]["what"]


def test_one_recorded_answer_that_is_none_leaves_the_others_asked(tmp_path: Path) -> None:
    """The answer that contradicts its scores is the last that is recorded; the query behind it has none."""
    gate = _configured(tmp_path, f'id = "kept"\nretriever = "replay:r.jsonl"\n{MISSING_IS_EMPTY}')
    rising = [{"id": "day-03#0", "score": 1.0}, {"id": "bus-02#0", "score": 2.0}]
    lines = [{"id": "q-bus", "hits": [{"id": "bus-02#0", "score": 1.0}]}, {"id": "q-day", "hits": rising}]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps({"v": 1, **line}) + "\n" for line in lines))
    found = _examined(gate)

    assert found["scores"]["status"] == "fix"
    assert found["scores"]["queries"] == ["q-day"]
    assert found["answers"]["what"].startswith("4 of 5 questions answered; ")


def test_a_recording_is_not_advised_to_change_what_it_can_not(tmp_path: Path) -> None:
    found = _replay(tmp_path, RUN, MISSING_IS_EMPTY)

    assert {found[probe]["status"] for probe in ("principals", "as-of", "changes")} == {"not-checked"}
    assert found["changes"]["what"] == "recorded: scenarios are not run"
    assert found["principals"]["what"].endswith("; recorded: scenarios are not run")
    assert found["as-of"]["what"].endswith("; recorded: scenarios are not run")
    assert {found[probe]["fix"] for probe in ("principals", "as-of", "changes")} == {None}


def test_of_a_retriever_that_can_not_be_opened_nothing_was_asked(tmp_path: Path) -> None:
    gate = _configured(tmp_path, 'id = "gone"\nretriever = "python:nowhere:search"')

    assert _examined(gate)["asked"] == 0
    shown = gate.call("doctor").out
    assert shown.startswith("FIX 1: gone (python), 0 of 5 queries asked\n")
    assert "WORTH DOING" not in shown


SECRET = """id = "server"
retriever = "http://127.0.0.1:9/search"
[ablations.http]
headers = { authorization = "{env.NOT_SET_BY_ANY_TEST}" }"""


def test_an_ablation_that_was_not_chosen_needs_nothing(tmp_path: Path) -> None:
    gate = _configured(tmp_path, f"id = 'fn'\nretriever = {json.dumps(command('none'))}", SECRET)
    ran = gate.call("doctor", "--ablations", "fn")

    assert ran.code == ExitCode.PASS, ran.err
    assert ran.out.startswith("READY: fn (exec), 5 of 5 queries asked\n")


def test_an_ablation_that_lacks_its_secret_is_named(tmp_path: Path) -> None:
    gate = _configured(tmp_path, f"id = 'fn'\nretriever = {json.dumps(command('none'))}", SECRET)
    ran = gate.call("doctor")

    assert ran.code == ExitCode.BAD_INPUT
    assert "ablation server: the environment variable NOT_SET_BY_ANY_TEST is not set" in ran.err


PROGRAM = f"""OPEN = {OPEN!r}
def blind(query, k):
    return [chunk for start, chunk in OPEN.items() if query.startswith(start)]
def told(query, k, principal):
    return blind(query, k)
"""


@pytest.mark.parametrize(("function", "sends"), [("blind", True), ("told", False)])
def test_a_function_without_a_principal_is_told_to_take_one(tmp_path: Path, function: str, sends: bool) -> None:
    (tmp_path / "openly.py").write_text(PROGRAM, encoding="utf-8")
    retriever = f"python:openly:{function}"
    found = _examined(workspace(tmp_path), "--fixture", "world.json", "--retriever", retriever)["principals"]

    assert found["what"] == "none of 2 restricted judged units are found by who may see them"
    assert ("give the function a parameter `principal`" in found["fix"]) is sends
    assert "see how a principal's tenant and attributes are matched" in found["fix"]


def _openly(talk: Conversation) -> None:
    body = talk.received.body
    if body.get("op") == "hello":
        talk.reply({"v": 1, "id": body["id"], "name": "s", "version": "1", "fingerprint": "", "capabilities": []})
        return
    found = [chunk for start, chunk in OPEN.items() if body["query"].startswith(start)]
    talk.reply({"v": 1, "id": body.get("id"), "hits": [{"id": chunk} for chunk in found]})


@pytest.mark.parametrize(
    ("settings", "sends"),
    [
        ('[ablations.http]\npreset = "json"', True),
        ('[ablations.http]\npreset = "json"\nbody = { query = "{query}", who = "{principal.tenant}" }', False),
        ("", False),
    ],
    ids=["no principal", "a principal", "the contract"],
)
def test_a_server_whose_request_holds_no_principal_is_told_to_send_it(
    tmp_path: Path, settings: str, sends: bool
) -> None:
    behave: Behaviour = _openly
    with serving(behave) as server:
        found = _examined(_configured(tmp_path, f'id = "server"\nretriever = "{server.url}"\n{settings}'))

    assert found["principals"]["what"] == "none of 2 restricted judged units are found by who may see them"
    assert ("{principal.tenant} where http.body" in found["principals"]["fix"]) is sends


TOOL = f"""import json, sys
OPEN = {OPEN!r}
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        result = {{"protocolVersion": message["params"]["protocolVersion"], "capabilities": {{"tools": {{}}}},
                  "serverInfo": {{"name": "s", "version": "1"}}}}
    elif message["method"] == "tools/list":
        schema = {{"type": "object", "properties": {{"query": {{"type": "string"}}, "k": {{"type": "integer"}}}}}}
        result = {{"tools": [{{"name": "search", "inputSchema": schema}}]}}
    else:
        asked = message["params"]["arguments"]["query"]
        hits = [{{"id": chunk}} for start, chunk in OPEN.items() if asked.startswith(start)]
        result = {{"content": [], "structuredContent": {{"hits": hits}}}}
    print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": result}}), flush=True)
"""


def test_a_tool_that_is_not_told_the_principal_is_to_be_told(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text(TOOL, encoding="utf-8")
    retriever = command("none").replace("exec:", "mcp:").replace("keeper.py none", "tool.py")
    found = _examined(workspace(tmp_path), "--fixture", "world.json", "--retriever", retriever)["principals"]

    assert found["what"] == "none of 2 restricted judged units are found by who may see them"
    assert "write {principal.tenant} where mcp.arguments has to name it" in found["fix"]
