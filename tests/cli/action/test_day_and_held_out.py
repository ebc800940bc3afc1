"""The action's inputs `today` and `held-out` reach the run."""

from __future__ import annotations

from datetime import date

import pytest

from retrieval_gate.base.errors import UsageError
from retrieval_gate.cli.action.inputs import read_inputs
from retrieval_gate.cli.action.main import Step, _options
from tests.e2e.gate import ROOT


def test_both_are_handed_to_the_run() -> None:
    inputs = read_inputs({"INPUT_TODAY": "2026-03-01", "INPUT_HELD-OUT": "fixtures/held.json"})
    options = _options(inputs, Step(root=ROOT, folder=ROOT, prefix=""))
    assert (options.today, options.held_out) == (date(2026, 3, 1), "fixtures/held.json")
    empty = _options(
        read_inputs({"INPUT_TODAY": "", "INPUT_HELD-OUT": ""}), Step(root=ROOT, folder=ROOT, prefix="")
    )
    assert (empty.today, empty.held_out) == (None, None)


@pytest.mark.parametrize("value", ["01/03/2026", "tomorrow", "20260301", "2026-3-1"])
def test_a_day_in_another_form_is_refused_by_the_input_s_name(value: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_inputs({"INPUT_TODAY": value})
    assert (caught.value.code, "the input today" in caught.value.what) == ("bad-date", True)
