"""Each fault is found by the probe that is for it, and by no other; the sound twin passes them all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retrieval_gate.base.errors import NothingComparableError
from retrieval_gate.base.retrieval import Response
from retrieval_gate.base.transport import UnknownIds
from retrieval_gate.doctor.diagnose import diagnose
from retrieval_gate.doctor.finding import Diagnosis, Health
from retrieval_gate.doctor.probes.table import PROBES
from retrieval_gate.doctor.process import Seen
from retrieval_gate.doctor.text import render
from retrieval_gate.report.outputs.style import PLAIN
from tests.doctor.programs.keeper import CANARY
from tests.doctor.world import TEXTS, asking, diagnosed, finding, fixes, keeper, plan_of, unwell, workspace, world

# Without context, state, citations and changes a retriever is well enough.
LEFT = {"parts": "note", "changes": "note"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    sys.modules.pop("keeper", None)
    yield
    sys.modules.pop("keeper", None)


def of(fault: str, folder: Path, **settings: Any) -> Diagnosis:
    """What the doctor finds; nothing private is in it."""
    diagnosis = diagnosed(folder, keeper(fault, **settings))
    shown = render([diagnosis], PLAIN)
    assert not [text for text in (CANARY, CANARY.upper(), *TEXTS) if text in shown]
    return diagnosis


def test_a_sound_retriever_is_ready(tmp_path: Path) -> None:
    diagnosis = of("none", tmp_path)

    assert unwell(diagnosis) == LEFT
    assert [name for name, _ in diagnosis.findings] == [probe.id for probe in PROBES]
    assert (diagnosis.asked, diagnosis.queries) == (5, 5)
    # Who may not see a judged fee: guest and the public, or pupil; and five queries of which none sees both fees.
    assert finding(diagnosis, "principals").what.startswith("none of 7 questions show what is kept from who asks")


@pytest.mark.parametrize(
    ("fault", "mapping"),
    [
        ("dashes", "they differ only in the sign between their parts, such as - in the place of #"),
        ("capitals", "they differ only in capital letters"),
        ("unpadded", "they differ only in the zeros before a number"),
        ("folder", "they have a folder or a prefix before the fixture's id"),
    ],
)
def test_ids_that_are_written_otherwise_are_told_how(tmp_path: Path, fault: str, mapping: str) -> None:
    diagnosis = of(fault, tmp_path)

    assert fixes(diagnosis) == ["ids"]
    # pupil sees fee-07, bus-02 and day-03, guest fee-08 and the other two: 5 ids, bus-01 by pupil in 2025.
    assert finding(diagnosis, "ids").what == (
        f"none of 13 hits have an id of the fixture; {mapping} (5 of 5 unknown ids)"
    )
    # What hangs on ids is not told of twice.
    not_checked = [name for name, state in unwell(diagnosis).items() if state == "not-checked"]
    assert not_checked == ["found", "principals", "as-of"]


def test_ids_that_resemble_nothing_are_told_so(tmp_path: Path) -> None:
    what = finding(of("strange", tmp_path), "ids").what
    assert what == "none of 13 hits have an id of the fixture; the others resemble none of the fixture's"


def test_some_unknown_ids_must_be_fixed_unless_they_are_allowed(tmp_path: Path) -> None:
    refused = of("half", tmp_path)
    assert fixes(refused) == ["ids"]
    assert finding(refused, "ids").what.startswith("13 of 18 hits")


def test_a_retriever_that_holds_more_than_the_fixture_is_well(tmp_path: Path) -> None:
    allowed = of("half", tmp_path, unknown_ids=UnknownIds.UNJUDGED)
    assert fixes(allowed) == []
    assert finding(allowed, "ids").health is Health.NOTE


@pytest.mark.parametrize(
    ("fault", "probe", "what"),
    [
        ("empty", "answers", "5 of 5 questions answered, every one without a hit"),
        ("too-many", "answers", "answers are none (too-many-hits"),
        (
            "raises",
            "answers",
            "4 of 5 questions answered, then it failed: [retriever-raised] answering raised ValueE",
        ),
        ("rising", "scores", "[scores-against-order] the hit at rank 3 has a better score"),
        (
            "blind-to-principals",
            "principals",
            "7 of 7 questions show what is kept from who asks; the first, asked by",
        ),
        ("leaks-stages", "principals", "in stages"),
        ("denies", "principals", "none of 2 restricted judged units are found by who may see them"),
        ("open-to-all", "principals", "4 of 4 questions of who is not listed, or not so, are served"),
        (
            "blind-to-times",
            "as-of",
            "6 of 6 questions show what is not current when they are asked; the first: bus-01",
        ),
        ("shuffles", "repeatable", "asked again: "),
    ],
)
def test_a_fault_is_found_by_its_own_probe(tmp_path: Path, fault: str, probe: str, what: str) -> None:
    diagnosis = of(fault, tmp_path)

    assert fixes(diagnosis) == [probe]
    assert what in finding(diagnosis, probe).what
    assert finding(diagnosis, probe).fix
    assert set(finding(diagnosis, probe).queries) <= {query["id"] for query in world()["queries"]}


def test_what_hangs_on_the_question_before_is_seen_in_another_order_only(tmp_path: Path) -> None:
    found = finding(of("remembers", tmp_path), "repeatable")

    assert found.what == "asked in another order: 1 of 5 differ; the first in hits at rank 2"
    assert found.queries == ("q-day",)


def test_what_is_not_safe_to_ask_together_is_seen_with_concurrency_only(tmp_path: Path) -> None:
    found = finding(of("one-thread", tmp_path, concurrency=3), "repeatable")
    assert found.what.startswith("asked together: ")
    assert "concurrency" in str(found.fix)


def test_asked_together_a_sound_retriever_answers_the_same(tmp_path: Path) -> None:
    diagnosis = of("none", tmp_path, concurrency=3)
    assert unwell(diagnosis) == LEFT
    assert "asked together: 5 the same" in finding(diagnosis, "repeatable").what


def test_one_at_a_time_a_retriever_of_one_thread_is_well(tmp_path: Path) -> None:
    assert unwell(of("one-thread", tmp_path)) == LEFT


@pytest.mark.parametrize(
    ("fault", "noted"),
    [
        ("no-stages", {"stages"}),
        ("unscored", {"scores"}),
        ("silent", {"principals", "as-of"}),
        ("talkative", set()),
    ],
)
def test_what_is_only_worth_doing_keeps_nobody_from_the_gate(tmp_path: Path, fault: str, noted: set[str]) -> None:
    diagnosis = of(fault, tmp_path)
    assert fixes(diagnosis) == []
    assert unwell(diagnosis) == LEFT | dict.fromkeys(noted, "note")


def test_without_principals_and_dates_in_the_fixture_there_is_nothing_to_honour(tmp_path: Path) -> None:
    plain = world()
    plain["documents"] = [
        {name: part for name, part in document.items() if name in ("id", "title", "chunks")}
        for document in plain["documents"]
    ]
    plain["queries"] = [
        {name: part for name, part in query.items() if name != "principal"} for query in plain["queries"]
    ]
    del plain["principals"]
    diagnosis = diagnosed(tmp_path, keeper("none"), plain)

    assert fixes(diagnosis) == []
    assert finding(diagnosis, "principals").what == "the fixture keeps nothing from anyone"
    assert finding(diagnosis, "as-of").what == "no document of the fixture has a date"
    assert {finding(diagnosis, name).health for name in ("principals", "as-of")} == {Health.NOT_CHECKED}


def test_held_out_queries_are_never_asked_or_named(tmp_path: Path) -> None:
    fixture = world()
    fixture["queries"].append(fixture["queries"][0] | {"id": "q-apart", "split": "heldout"})
    diagnosis = diagnosed(tmp_path, keeper("dashes"), fixture)

    assert (diagnosis.asked, diagnosis.queries) == (5, 6)
    assert "q-apart" not in render([diagnosis], PLAIN)


def test_a_fixture_of_held_out_queries_alone_is_nothing_to_ask(tmp_path: Path) -> None:
    fixture = world()
    fixture["queries"] = [query | {"split": "heldout"} for query in fixture["queries"]]
    with pytest.raises(NothingComparableError) as caught:
        diagnosed(tmp_path, keeper("none"), fixture)
    assert caught.value.code == "nothing-to-ask"


def test_of_a_large_fixture_twenty_queries_are_asked_each_kind_among_them(tmp_path: Path) -> None:
    fixture = world()
    again = [query | {"id": f"{query['id']}-{number}"} for number in range(20) for query in fixture["queries"]]
    fixture["queries"] += again
    diagnosis = diagnosed(tmp_path, keeper("none"), fixture)

    assert (diagnosis.asked, diagnosis.queries) == (20, 105)
    assert unwell(diagnosis) == LEFT
    # 4 of the 20 have no answer.
    assert finding(diagnosis, "found").what.startswith("16 of 16 questions find")


@pytest.mark.parametrize(("seconds", "health"), [(9, Health.FIX), (11, Health.OK)])
def test_a_run_that_would_not_end_in_time_must_be_made_faster(
    tmp_path: Path, seconds: float, health: Health
) -> None:
    """Five queries at two seconds are ten."""
    spec = keeper("none")
    slow = replace(spec, transport=replace(spec.transport, total_timeout=seconds))
    workspace(tmp_path)
    own = asking(tmp_path)

    def ask(*asked: Any) -> Seen:
        seen = own(*asked)
        for replies in seen.replies.values():
            replies[:] = [
                (question, replace(reply, elapsed_ns=2 * 10**9))
                for question, reply in replies
                if isinstance(reply, Response)
            ]
        return seen

    plan = plan_of(slow)
    found = finding(diagnose(plan, slow, ask), "speed")
    assert found.health is health
    assert "5 queries twice would take about 20.0 s" in found.what
