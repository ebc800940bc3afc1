from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from retrieval_gate.base.config import EngineSettings, EvidenceThreshold
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.fixture import State
from retrieval_gate.engine.abstention import DEFAULT_THRESHOLDS, EVIDENCE_DEPTH, thresholds
from retrieval_gate.engine.coverage import BLOCK, REACH
from retrieval_gate.engine.fusion import FLOOR
from retrieval_gate.engine.lexical import K1, B
from retrieval_gate.engine.providers import CONCEPT_WEIGHT, DIMENSIONS, LARGEST_COUNT
from retrieval_gate.engine.rerank import ANYWHERE, DUPLICATE, ORDERED, PRIOR, WINDOW
from retrieval_gate.engine.text import PREFIX_LENGTH, SCRIPTS, TOKENIZER_VERSION
from retrieval_gate.engine.version import ENGINE_VERSION
from tests.engine.factories import ALIAS, HYBRID, alias_table, answer, answers, document, request

CORPUS = (
    document("doors", "A lost key costs ten euros.", "Doors lock at night."),
    document("bikes", "Bikes stand in the yard."),
    document("zh", "遗失钥匙须交费十元。"),
)


def test_enough_evidence_answers(tmp_path: Path) -> None:
    response = answer(tmp_path, CORPUS, "The costs of a lost key?", settings=EngineSettings())
    assert response.state is State.ANSWERED
    assert response.hits


def test_too_little_evidence_withholds_hits_and_context_but_shows_the_stages(tmp_path: Path) -> None:
    question = "Which railway museums does a lost traveller visit?"
    (response,) = answers(
        tmp_path, CORPUS, [request(question, trace=True)], channels=HYBRID, settings=EngineSettings()
    )
    assert (response.state, response.hits, response.context) == (State.ABSTAINED, (), ())
    stages = {stage.name: stage.chunks for stage in response.stages}
    assert stages["cut-off"]
    assert stages["abstention"] == ()


def test_abstention_can_be_switched_off(tmp_path: Path) -> None:
    question = "Which railway museums does a lost traveller visit?"
    response = answer(tmp_path, CORPUS, question, settings=EngineSettings(abstention=False))
    assert response.state is State.ANSWERED
    assert response.hits


def test_finding_nothing_is_abstaining_even_then(tmp_path: Path) -> None:
    response = answer(tmp_path, CORPUS, "zebra", settings=EngineSettings(abstention=False))
    assert (response.state, response.hits) == (State.ABSTAINED, ())


def test_the_threshold_is_that_of_the_query_s_script(tmp_path: Path) -> None:
    settings = EngineSettings(thresholds=(EvidenceThreshold(script="han", value=1.1),))
    english, chinese = answers(tmp_path, CORPUS, [request("lost key"), request("遗失钥匙")], settings=settings)
    assert (english.state, chinese.state) == (State.ANSWERED, State.ABSTAINED)


def test_evidence_equal_to_the_threshold_is_enough(tmp_path: Path) -> None:
    settings = EngineSettings(thresholds=(EvidenceThreshold(script="latin", value=1.0),))
    assert answer(tmp_path, CORPUS, "lost key", settings=settings).state is State.ANSWERED


def test_evidence_by_hand(tmp_path: Path) -> None:
    # Three chunks; key, gone: idf 0.980829 (df 1) and 2.079442 (df 0).
    corpus = [document("a", "key"), document("b", "cat"), document("c", "dog")]
    found = answers(
        tmp_path,
        corpus,
        [request("key gone")],
        settings=EngineSettings(thresholds=(EvidenceThreshold(script="latin", value=0.3205),)),
    )
    # 0.980829 / (0.980829 + 2.079442) = 0.320504
    assert found[0].state is State.ANSWERED


def test_words_far_apart_are_less_evidence_than_words_together(tmp_path: Path) -> None:
    filler = " ".join(f"w{number}" for number in range(3 * BLOCK))
    settings = EngineSettings(thresholds=(EvidenceThreshold(script="latin", value=0.9),))
    apart = answer(tmp_path, [document("a", f"lost {filler} key")], "lost key", settings=settings)
    together = answer(tmp_path, [document("a", f"{filler} lost key")], "lost key", settings=settings)
    assert (apart.state, together.state) == (State.ABSTAINED, State.ANSWERED)


def test_a_concept_found_in_another_language_is_evidence(tmp_path: Path) -> None:
    table = alias_table(key=("lost key", "钥匙丢了"), price=("costs", "多少钱"))
    question = "钥匙丢了要多少钱"
    plain = answer(tmp_path, CORPUS, question, settings=EngineSettings())
    aliased = answer(tmp_path, CORPUS, question, channels=ALIAS, aliases=table, settings=EngineSettings())
    assert (plain.state, aliased.state) == (State.ABSTAINED, State.ANSWERED)


def test_every_script_has_a_threshold_and_an_override_replaces_it() -> None:
    assert set(SCRIPTS) == {row.script for row in DEFAULT_THRESHOLDS}
    assert thresholds((EvidenceThreshold(script="other", value=0.9),))["other"] == 0.9
    assert thresholds(()) == {row.script: row.value for row in DEFAULT_THRESHOLDS}


def test_a_threshold_for_an_unknown_script_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown-script"):
        thresholds((EvidenceThreshold(script="greek", value=0.5),))


def test_a_changed_constant_needs_a_new_engine_version() -> None:
    constants = (
        *(K1, B, FLOOR, PRIOR, ANYWHERE, WINDOW, ORDERED, DUPLICATE, BLOCK, REACH, EVIDENCE_DEPTH),
        *(DIMENSIONS, LARGEST_COUNT, CONCEPT_WEIGHT, PREFIX_LENGTH, TOKENIZER_VERSION),
        *((row.script, row.value) for row in DEFAULT_THRESHOLDS),
    )
    digest = hashlib.sha256(repr((ENGINE_VERSION, constants)).encode()).hexdigest()[:16]
    assert digest == "3236b74bbb20dcb3", "move ENGINE_VERSION, then this"
