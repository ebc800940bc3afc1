"""Ablations over the same documents take turns, and none goes without; a log is read while one is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from retrieval_gate.base.fixture import Document
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.base.scenario import ScenarioResult, Unmet
from retrieval_gate.engine.service import KnowledgeService
from retrieval_gate.retrievers.builtin import CAPABILITIES
from retrieval_gate.scenarios.bench import Bench
from retrieval_gate.scenarios.cache_probe import CACHE_PROBE
from retrieval_gate.scenarios.log_watch import LogWatch
from retrieval_gate.scenarios.table import SCENARIOS
from retrieval_gate.scenarios.worker import results_of
from tests.scenarios.world import TEACHER, Small, seeded, several, world

NAMES = ("a", "b", "c", "d")


def _turns(bench: Bench, rounds: int) -> list[str]:
    return ["".join(bench.turn(bench.able(), number, rounds)) for number in range(rounds)]


@pytest.mark.parametrize(
    ("rounds", "turns"),
    [(1, ["abcd"]), (2, ["ac", "bd"]), (3, ["ad", "b", "c"]), (4, ["a", "b", "c", "d"]), (5, [*"abcda"])],
)
def test_ablations_over_the_same_documents_take_turns_and_each_has_one(
    tmp_path: Path, rounds: int, turns: list[str]
) -> None:
    with several(tmp_path, NAMES, world()) as bench:
        assert _turns(bench, rounds) == turns


def test_ablations_that_can_not_be_changed_are_asked_every_time(tmp_path: Path) -> None:
    with several(tmp_path, NAMES, world(), CAPABILITIES - {"update"}) as bench:
        assert _turns(bench, 2) == ["abcd", "abcd"]


def test_no_ablation_goes_without_a_scenario_where_there_are_more_of_them_than_cases(tmp_path: Path) -> None:
    with several(tmp_path, [f"a{number}" for number in range(9)], world()) as bench:
        for scenario in SCENARIOS:
            assert all(result.checked for result in results_of(scenario, bench)), scenario.id


class Heard(LogWatch):
    """Hears what is said in this process, which keeps its own output."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def _new(self) -> str:
        text = "\n".join(self.said)
        self.said.clear()
        return text


def _log(folder: Path, make: Callable[[KnowledgeService, list[str]], Small]) -> ScenarioResult:
    """What the log watch has found after the cache probe, in which documents are changed too."""
    heard = Heard()
    with seeded(folder, world()) as service:
        bench = Bench(world(), 10, {AblationId("a"): make(service, heard.said)}, heard)
        results_of(CACHE_PROBE, bench)
        return bench.log_tally.results("log-output", bench.able())[0]


class Says(Small):
    """Logs what it serves and what it changes: nothing of that is kept from who asks."""

    def __init__(self, service: KnowledgeService, said: list[str]) -> None:
        super().__init__(service)
        self._said = said

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        for response in super().answer(requests):
            self._said += [hit.chunk for hit in response.hits]
            yield response

    def update(self, document: Document) -> None:
        self._said.append(document.chunks[0].id)
        super().update(document)


class SaysAll(Says):
    """Logs the id of a document whoever asks."""

    word = "north-fee"

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        self._said.append(f"looked at {self.word}, and more")
        return super().answer(requests)


class SaysPlainWord(SaysAll):
    word = "marks"


def test_what_is_served_to_one_is_not_held_against_the_next(tmp_path: Path) -> None:
    result = _log(tmp_path, Says)
    assert (result.checked, result.findings) == (True, ())


def test_the_id_of_a_document_that_the_asker_may_not_see_is_a_leak(tmp_path: Path) -> None:
    found = _log(tmp_path, SaysAll).findings
    assert {(finding.kind, finding.where, finding.units) for finding in found} == {
        ("log-leak", "log", ("north-fee",))
    }
    assert TEACHER.id not in {finding.principal for finding in found}


def test_an_id_that_is_a_plain_word_may_stand_in_any_line(tmp_path: Path) -> None:
    assert _log(tmp_path, SaysPlainWord).findings == ()


def test_a_log_that_nobody_could_leak_to_was_not_checked(tmp_path: Path) -> None:
    with several(tmp_path, ["a"], world()) as bench:
        (result,) = bench.log_tally.results("log-output", bench.able())
    assert (result.checked, result.unmet) == (False, Unmet.FIXTURE)
