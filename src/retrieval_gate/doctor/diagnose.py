"""One ablation of a plan: asked, and every probe made of what came."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import NothingComparableError
from retrieval_gate.doctor.case import Case
from retrieval_gate.doctor.finding import Diagnosis
from retrieval_gate.doctor.probe import probed
from retrieval_gate.doctor.probes.speed import timing
from retrieval_gate.doctor.probes.table import PROBES
from retrieval_gate.doctor.process import Seen, examine
from retrieval_gate.doctor.questions import Round, asked_queries, rounds_of
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.retrievers.table import is_recorded
from retrieval_gate.scoring.observe import Observer

# Asks in process 1 or 2, and tells what was seen.
Ask = Callable[[Plan, AblationSpec, Sequence[Round], int], Seen]


def diagnose(plan: Plan, spec: AblationSpec, ask: Ask = examine) -> Diagnosis:
    """Ask in one process, then the sample again in a second one, behind it: both may reach one state.

    A retriever that fails is a finding. Raises NothingComparableError where all queries are held out, and
    InternalError for a bug of this project.
    """
    case = _case(plan, spec, ask)
    return Diagnosis(
        ablation=spec.id,
        kind=spec.scheme,
        asked=0 if case.first.hello is None else len(case.rounds[0].questions),
        queries=len(plan.fixture.queries),
        findings=tuple((probe.id, probed(probe, case)) for probe in PROBES),
        timing=timing(case),
    )


def _case(plan: Plan, spec: AblationSpec, ask: Ask) -> Case:
    fixture = plan.fixture
    rounds = rounds_of(fixture, plan.k, concurrency=spec.transport.concurrency, recorded=is_recorded(spec))
    if not rounds:
        raise NothingComparableError(
            "nothing-to-ask", "every query of the fixture is held out", fix="add queries that may be looked at"
        )
    first = ask(plan, spec, rounds, 1)
    second = ask(plan, spec, rounds[:1], 2) if first.failure is None else None
    return Case(
        fixture=fixture,
        spec=spec,
        k=plan.k,
        rounds=rounds,
        first=first,
        second=second,
        observer=Observer(replace(fixture, queries=asked_queries(rounds))),
        owners={chunk.id: document.id for document in fixture.documents for chunk in document.chunks},
    )
