"""Every chosen ablation, examined before the gate judges it. Files are read here, and none is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval_gate.app import read_held_out, refuse_stderr
from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import ConfigError, FixtureError
from retrieval_gate.base.files import read_bounded
from retrieval_gate.base.fixture import Fixture
from retrieval_gate.doctor.diagnose import diagnose
from retrieval_gate.doctor.finding import Diagnosis
from retrieval_gate.evaluation.plan import make_plan
from retrieval_gate.inputs.fixture import FIXTURE_BYTE_LIMIT, load_fixture
from retrieval_gate.retrievers.table import check_retriever
from retrieval_gate.settle import Options, chosen, settle


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What was found, one diagnosis per ablation in the order of the configuration."""

    fixture: Fixture
    diagnoses: tuple[Diagnosis, ...]


def examine(options: Options, workspace: Path) -> Examined:
    """One ablation after the other; one that fails is a finding. Raises GateError where nothing can be asked."""
    settled = settle(options, workspace)
    refuse_stderr(options, settled, (), workspace)
    data = read_bounded(settled.fixture, limit=FIXTURE_BYTE_LIMIT, error=FixtureError)
    loaded = load_fixture(data, file=settled.fixture, held_out=read_held_out(settled.held_out))
    if options.retriever is None:
        _check_each(chosen(options, settled))
    plan = make_plan(loaded.fixture, settled.config, only=options.ablations)
    diagnoses = tuple(diagnose(plan, spec) for spec in plan.ablations)
    return Examined(fixture=plan.fixture, diagnoses=diagnoses)


def _check_each(specs: Sequence[AblationSpec]) -> None:
    """Raises ConfigError with the name of the ablation that is refused, as several may be examined."""
    for spec in specs:
        try:
            check_retriever(spec)
        except ConfigError as refused:
            if spec.id in refused.what:
                raise
            what = f"ablation {spec.id}: {refused.what}"
            raise ConfigError(
                refused.code, what, fix=refused.fix, where=refused.where, problems=refused.problems
            ) from refused
