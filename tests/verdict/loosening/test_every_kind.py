"""Every kind of loosening is red and named; its tightened twin is green, and so is it with the right approval."""

from __future__ import annotations

import pytest

from retrieval_gate.base.verdict import Status
from retrieval_gate.verdict.loosening import LOOSENINGS, approval_hash
from tests.verdict.factories import of_kind
from tests.verdict.loosening.examples import EXAMPLES, Example
from tests.verdict.loosening.world import BASE, loosened, red, rules, verdicts

EVERY = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
STALE = "0123456789abcdef"


def test_every_rule_has_an_example() -> None:
    assert {example.rule for example in EXAMPLES} == {rule.id for rule in LOOSENINGS} - {"loosened-baseline"}


@EVERY
def test_it_is_found_with_what_it_is_about_and_nothing_else_is(example: Example) -> None:
    found = loosened(example.now)

    assert rules(found) == [example.rule] * len(example.found)
    for item, expected in zip(found, example.found, strict=True):
        assert {name: getattr(item, name) for name in expected} == expected


@EVERY
def test_what_asks_for_more_or_the_same_is_green(example: Example) -> None:
    assert rules(loosened(example.twin)) == []
    assert of_kind(verdicts(example.twin), "loosening")[0].status is Status.PASSED


@EVERY
def test_a_pull_request_that_accepted_it_itself_is_red(example: Example) -> None:
    failures = red(verdicts(example.now))

    assert [item.kind for item in failures] == [example.rule] * len(example.found)


@EVERY
def test_the_right_approval_makes_it_a_note_and_says_so(example: Example) -> None:
    found = verdicts(example.now, approve=approval_hash(loosened(example.now)))

    assert red(found) == []
    assert {item.status for item in of_kind(found, example.rule)} == {Status.NOTE}
    assert [item.n for item in of_kind(found, "loosening-approved")] == [len(example.found)]


@EVERY
def test_a_stale_approval_leaves_it_red_and_says_so(example: Example) -> None:
    found = verdicts(example.now, approve=STALE)

    assert [item.kind for item in red(found)] == [example.rule] * len(example.found)
    assert [item.status for item in of_kind(found, "approval-stale")] == [Status.NOTE]


def test_no_two_loosenings_have_the_same_approval() -> None:
    different = {loosened(example.now) for example in EXAMPLES}

    assert len({approval_hash(found) for found in different}) == len(different)


def test_without_the_base_branch_nothing_is_said() -> None:
    assert approval_hash(loosened(BASE)) is None
