"""`docs/retriever.md` says what the code does: messages, codes, capabilities, probes, and an example."""

from __future__ import annotations

import json
import re
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.fixture import Principal
from retrieval_gate.base.ids import PrincipalId, QueryId
from retrieval_gate.base.retrieval import Request
from retrieval_gate.doctor.probes.table import PROBES
from retrieval_gate.report.names import FAILURE_CODES
from retrieval_gate.retrievers.contract import (
    CAPABILITIES,
    operation,
    query_message,
    read_answer,
    read_hello,
    revocation,
)
from retrieval_gate.retrievers.documents import document_message, principal_message
from retrieval_gate.retrievers.in_process.target import METHODS
from retrieval_gate.retrievers.presets import PRESETS
from retrieval_gate.retrievers.table import RETRIEVERS
from retrieval_gate.retrievers.template import ASKED
from tests.e2e.gate import ROOT, Gate
from tests.engine.factories import document
from tests.inputs.fixtures import encoded, sound

PAGE = (ROOT / "docs/retriever.md").read_text(encoding="utf-8")
ADA = Principal(id=PrincipalId("ada"), tenant="north", attributes=(("role", ("teacher",)),))
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _messages(mark: str) -> list[dict[str, Any]]:
    """What is sent (`->`) or answered (`<-`), in the order of the page."""
    return [json.loads(line) for line in re.findall(rf"^{mark} (.*)$", PAGE, re.MULTILINE)]


def _table(head: str) -> list[str]:
    """The words in code marks of a table's first column."""
    _, _, below = PAGE.partition(f"| {head} |")
    rows = below.split("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


def test_the_question_is_the_one_that_is_asked() -> None:
    request = Request(
        id=QueryId("q-1"),
        query="When is the open day?",
        k=10,
        principal=ADA,
        as_of=NOON,
        language="en",
        trace=True,
    )
    assert _messages("->")[0] == query_message(request)


def test_every_answer_of_the_page_is_one() -> None:
    answers = [message for message in _messages("<-") if "hits" in message]
    for answer in answers:
        read_answer({name: part for name, part in answer.items() if name not in ("v", "id")})
    assert len(answers) == 2


def test_hello_is_understood_whole() -> None:
    asked, said = _messages("->")[1], next(message for message in _messages("<-") if "capabilities" in message)
    assert asked == operation("hello", 0, {})
    assert read_hello(said).capabilities == frozenset(said["capabilities"])


def test_changes_are_the_ones_that_are_sent() -> None:
    first, second, update, delete, revoke = _messages("->")[2:]

    assert first == operation("seed", 1, {"reset": True, "principals": [principal_message(ADA)], "documents": []})
    assert second.keys() == first.keys()
    known = document_message(document("day", "The open day is in May."))
    for sent in (second["documents"][0], update["document"]):
        assert sent.keys() - {"access"} <= known.keys()
        assert sent["chunks"][0].keys() == known["chunks"][0].keys()
    assert delete == operation("delete", 4, {"documentId": "day"})
    assert revoke == operation("revoke", 5, revocation("day", NOON))


def test_every_code_is_explained_or_named_as_the_engine_s_own() -> None:
    _, _, own = PAGE.partition("The embedded engine has codes of its own")
    explained, engine = _table("code"), re.findall(r"`([a-z-]+)`", own)

    named = [name for name in explained if "-" in name or name in FAILURE_CODES]
    assert sorted(named + engine) == sorted(FAILURE_CODES)


def test_every_capability_and_every_kind_of_retriever_is_there() -> None:
    assert sorted(_table("capability")) == sorted(CAPABILITIES)
    kinds = {name.partition(":")[0] for name in _table("`retriever =`")}
    assert kinds == {scheme for row in RETRIEVERS for scheme in row.schemes}


def test_the_probes_are_in_their_order() -> None:
    assert _table("probe") == [probe.id for probe in PROBES]


def test_the_example_is_ready_for_the_gate(tmp_path: Path) -> None:
    """Over the fixture whose chunks it knows."""
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / "my_search.py").write_text(program, encoding="utf-8")
    (tmp_path / "tea.json").write_bytes(encoded(sound()))
    retriever = f"exec:{shlex.quote(sys.executable)} my_search.py"
    ran = Gate(workspace=tmp_path).run("doctor", "--fixture", "tea.json", "--retriever", retriever)

    assert ran.code == ExitCode.PASS, ran.out
    assert "my-search 1.0; capabilities: none" in ran.out


def test_every_preset_placeholder_and_method_is_on_the_page() -> None:
    assert _table("preset")[:1] == ["contract"]
    assert {name for row in PRESETS for name in row.names} <= set(_table("preset"))
    named = [*(f"{{{name}}}" for name in ASKED), *(name for name in METHODS if name != "__call__")]
    assert [name for name in named if f"`{name}`" not in PAGE] == []
