"""The outputs of `doctor`, in the order of `--format`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrieval_gate.base.fixture import Fixture
from retrieval_gate.doctor import text
from retrieval_gate.doctor.finding import Diagnosis
from retrieval_gate.doctor.view import view
from retrieval_gate.report.outputs.json_view import written
from retrieval_gate.report.outputs.style import Style


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOutput:
    """`id` is the word after `--format`."""

    id: str
    render: Callable[[Sequence[Diagnosis], Fixture, Style], str]


DOCTOR_OUTPUTS = (
    DoctorOutput(id="text", render=lambda diagnoses, _fixture, style: text.render(diagnoses, style)),
    DoctorOutput(id="json", render=lambda diagnoses, fixture, _style: written(view(diagnoses, fixture))),
)


def doctor_output(name: str) -> DoctorOutput:
    """The output of this id, which is one of the table's."""
    return next(row for row in DOCTOR_OUTPUTS if row.id == name)
