"""A fixture of two tenants and a bus line of two timetables, and retrievers over it."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.transport import Transport, UnknownIds
from retrieval_gate.doctor.diagnose import Ask, diagnose
from retrieval_gate.doctor.finding import Diagnosis, Finding, Health
from retrieval_gate.doctor.process import Seen, gather, order_for
from retrieval_gate.doctor.questions import Round
from retrieval_gate.doctor.wire import said_from, said_line
from retrieval_gate.doctor.worker import work
from retrieval_gate.evaluation.plan import Plan, make_plan
from retrieval_gate.inputs.config import default_config
from retrieval_gate.inputs.fixture import load_fixture
from retrieval_gate.settle import named_retriever
from tests.e2e.gate import Gate
from tests.inputs.fixtures import encoded, judgment, query

KEEPER = Path(__file__).parent / "programs/keeper.py"
TEXTS = (
    "How much is the exam fee?",
    "How much is the entrance exam fee?",
    "When does the bus to the exam leave?",
    "When is the open day?",
    "Who paints the gate?",
)


def world() -> dict[str, Any]:
    """Five documents, two principals, five questions; every call gives a new one."""
    north, south = {"tenant": "north"}, {"tenant": "south"}
    bus = {"source": "bus"}
    return {
        "version": 1,
        "id": "world",
        "provenance": {"kind": "synthetic", "license": "CC0-1.0"},
        "asOf": "2026-03-01T12:00:00Z",
        "principals": [{"id": "pupil", "tenant": "north"}, {"id": "guest", "tenant": "south"}],
        "documents": [
            _document("fee-07", "the exam fee is nine euros", access=north),
            _document("fee-08", "the entrance exam fee is four euros", access=south),
            _document(
                "bus-01", "the bus to the exam leaves at eight", effectiveFrom="2025-05-01T00:00:00Z", **bus
            ),
            _document(
                "bus-02", "the bus to the exam leaves at seven", effectiveFrom="2026-02-01T00:00:00Z", **bus
            ),
            _document("day-03", "the open day is in may"),
        ],
        "queries": [
            _query("q-fee", TEXTS[0], "fee-07#0", "nine euros", "pupil"),
            _query("q-south", TEXTS[1], "fee-08#0", "four euros", "guest"),
            _query("q-bus", TEXTS[2], "bus-02#0", "seven", "pupil"),
            _query("q-day", TEXTS[3], "day-03#0", "may", None),
            query("q-none", "en", TEXTS[4]),
        ],
    }


def _document(name: str, text: str, **members: Any) -> dict[str, Any]:
    return {"id": name, "title": name, "chunks": [{"id": f"{name}#0", "content": text}], **members}


def _query(name: str, text: str, chunk: str, span: str, asker: str | None) -> dict[str, Any]:
    made = query(name, "en", text, [judgment(chunk, span)])
    return made if asker is None else made | {"principal": asker}


def workspace(folder: Path, fixture: dict[str, Any] | None = None) -> Gate:
    """With the fixture and the program, and no configuration."""
    (folder / "world.json").write_bytes(encoded(fixture or world()))
    shutil.copy(KEEPER, folder / "keeper.py")
    return Gate(workspace=folder)


def command(fault: str) -> str:
    """The keeper as a program of its own."""
    return f"exec:{shlex.join([sys.executable, 'keeper.py', fault])}"


def keeper(fault: str, *, concurrency: int = 1, unknown_ids: UnknownIds = UnknownIds.FAIL) -> AblationSpec:
    """The keeper in Python, as `--retriever` takes it."""
    spec = named_retriever(f"python:keeper:{fault.replace('-', '_')}")
    transport: Transport = replace(spec.transport, concurrency=concurrency, unknown_ids=unknown_ids)
    return replace(spec, transport=transport)


def plan_of(spec: AblationSpec, fixture: dict[str, Any] | None = None) -> Plan:
    loaded = load_fixture(encoded(fixture or world()), file="world.json")
    return make_plan(loaded.fixture, replace(default_config(), ablations=(spec,), gates=()))


def diagnosed(folder: Path, spec: AblationSpec, fixture: dict[str, Any] | None = None) -> Diagnosis:
    """As the doctor does it, but in this process; `folder` is the working one."""
    workspace(folder, fixture)
    plan = plan_of(spec, fixture)
    return diagnose(plan, plan.ablations[0], asking(folder))


def asking(folder: Path) -> Ask:
    """Asks in this process; what passes between processes is written and read all the same."""

    def ask(plan: Plan, asked: AblationSpec, rounds: Sequence[Round], number: int) -> Seen:
        own = folder / f"process-{number}"
        own.mkdir()
        lines = [said_line(said) for said in work(order_for(plan, asked, rounds, number, own))]
        seen = Seen()
        assert gather(seen, (said_from(line.encode()) for line in lines), rounds)
        return seen

    return ask


def finding(diagnosis: Diagnosis, probe: str) -> Finding:
    return dict(diagnosis.findings)[probe]


def fixes(diagnosis: Diagnosis) -> list[str]:
    """The probes that found something to fix, in order."""
    return [name for name, found in diagnosis.findings if found.health is Health.FIX]


def unwell(diagnosis: Diagnosis) -> dict[str, str]:
    """What is not ok, by probe."""
    return {name: found.health.value for name, found in diagnosis.findings if found.health is not Health.OK}
