"""The table of retrievers: which one a configuration's text names, and how all of them are opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from retrieval_gate.base.config import AblationSpec, EngineSettings
from retrieval_gate.base.errors import ConfigError, RetrieverError
from retrieval_gate.base.ids import AblationId
from retrieval_gate.retrievers import table
from retrieval_gate.retrievers.port import Opening, Retriever
from retrieval_gate.retrievers.table import RETRIEVERS, check_retriever, open_retrievers
from tests.evaluation.scripted import Scripted, right, scheme


def _spec(name: str, retriever: str) -> AblationSpec:
    return AblationSpec(id=AblationId(name), retriever=retriever)


def _opening(folder: Path) -> Opening:
    return Opening(folder=folder, documents=(), engine=EngineSettings(), aliases=None)


def test_every_scheme_is_named_once_and_explained() -> None:
    schemes = [scheme for row in RETRIEVERS for scheme in row.schemes]

    assert len(set(schemes)) == len(schemes)
    assert [row.schemes for row in RETRIEVERS if not row.explanation] == []


@pytest.mark.parametrize(("name", "hint"), [("bulitin", "the nearest is builtin"), ("x", ""), ("", ""), (":", "")])
def test_an_unknown_scheme_is_refused_and_a_misspelt_one_told_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_retriever(_spec("mine", name))

    assert caught.value.code == "unknown-retriever"
    assert "ablation mine" in caught.value.what
    assert hint in caught.value.what
    assert ("nearest" in caught.value.what) == bool(hint)
    assert "builtin" in caught.value.fix


def test_what_follows_the_colon_is_the_schemes_own_affair_and_never_quoted() -> None:
    with pytest.raises(ConfigError) as caught:
        check_retriever(_spec("mine", "exce:run --password=hunter2"))

    assert "hunter2" not in str(caught.value)


def test_retrievers_come_in_the_order_of_the_ablations_each_scheme_opened_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[tuple[str, list[str]]] = []

    def opener(name: str) -> table.RetrieverRow:
        def open_all(specs: Sequence[AblationSpec], _: Opening) -> tuple[Retriever, ...]:
            opened.append((name, [spec.id for spec in specs]))
            return tuple(Scripted(right) for _ in specs)

        return scheme(name, open_all)

    monkeypatch.setattr(table, "RETRIEVERS", (opener("one"), opener("two"), opener("unused")))
    specs = [_spec("a", "two:x"), _spec("b", "one"), _spec("c", "two:y")]

    retrievers = open_retrievers(specs, _opening(tmp_path))

    assert list(retrievers) == ["a", "b", "c"]
    assert opened == [("one", ["b"]), ("two", ["a", "c"])]


def test_where_one_scheme_can_not_be_opened_the_others_are_closed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(_: Sequence[AblationSpec], __: Opening) -> tuple[Retriever, ...]:
        raise RetrieverError("no-start", "it did not start", fix="install it")

    good = Scripted(right)
    monkeypatch.setattr(table, "RETRIEVERS", (scheme("good", lambda *_: (good,)), scheme("bad", refuse)))

    with pytest.raises(RetrieverError):
        open_retrievers([_spec("b", "bad"), _spec("a", "good")], _opening(tmp_path))
    assert good.closed == 1


def test_what_was_opened_stays_open(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    good = Scripted(right)
    monkeypatch.setattr(table, "RETRIEVERS", (scheme("good", lambda *_: (good,)),))

    assert open_retrievers([_spec("a", "good")], _opening(tmp_path)) == {"a": good}
    assert good.closed == 0
