"""The embedded engine behind the port: what it says of itself, and what it refuses before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from retrieval_gate import __version__
from retrieval_gate.base.config import AblationSpec, AliasTable, Channel, Concept, EngineSettings
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.evaluation.requests import requests_of
from retrieval_gate.retrievers.builtin import check_builtin, open_builtin
from retrieval_gate.retrievers.port import Opening, Retriever
from tests.evaluation.scripted import ALIASES, DOCUMENTS, QUERIES
from tests.scoring.build import fixture

LEXICAL, HASH, ALIAS = "lexical", "token-hash-vector", "regression-alias-vector"
REQUESTS = requests_of(fixture(DOCUMENTS, QUERIES), 10)


def _spec(*channels: str, rerank: bool = False) -> AblationSpec:
    weighted = tuple(Channel(name=channel, weight=1.0) for channel in channels)
    return AblationSpec(id=AblationId("+".join(channels)), retriever="builtin", channels=weighted, rerank=rerank)


@contextmanager
def _opened(folder: Path, *specs: AblationSpec, aliases: AliasTable = ALIASES) -> Iterator[tuple[Retriever, ...]]:
    opening = Opening(folder=folder, documents=DOCUMENTS, engine=EngineSettings(), aliases=aliases)
    with ExitStack() as closing:
        retrievers = open_builtin(specs, opening)
        for retriever in retrievers:
            closing.callback(retriever.close)
        yield retrievers


def _hellos(folder: Path, *specs: AblationSpec, aliases: AliasTable = ALIASES) -> list[Hello]:
    folder.mkdir()
    with _opened(folder, *specs, aliases=aliases) as retrievers:
        return [retriever.hello() for retriever in retrievers]


def test_it_says_its_name_version_and_what_it_can_be_asked_for(tmp_path: Path) -> None:
    hello = _hellos(tmp_path / "one", _spec(LEXICAL))[0]

    assert (hello.name, hello.version) == ("builtin", __version__)
    assert hello.capabilities == {
        "principals",
        "directory",
        "asOf",
        "stages",
        "context",
        "seed",
        "update",
        "delete",
        "revoke",
    }


def test_a_fingerprint_is_that_of_the_channels_providers_alone(tmp_path: Path) -> None:
    plain, hashed, alias, hybrid, reranked = _hellos(
        tmp_path / "one",
        _spec(LEXICAL),
        _spec(HASH),
        _spec(ALIAS),
        _spec(LEXICAL, ALIAS),
        _spec(LEXICAL, ALIAS, rerank=True),
    )

    assert plain.fingerprint == ""
    assert len({plain.fingerprint, hashed.fingerprint, alias.fingerprint, hybrid.fingerprint}) == 4
    assert hybrid.fingerprint == reranked.fingerprint


def test_another_alias_table_is_another_alias_provider_and_the_same_token_hash(tmp_path: Path) -> None:
    other = AliasTable(note="for tests", concepts=(Concept(id="door", aliases=("door", "关门")),))
    specs = (_spec(HASH), _spec(ALIAS))

    (hash_1, alias_1), (hash_2, alias_2) = (
        _hellos(tmp_path / name, *specs, aliases=table) for name, table in (("one", ALIASES), ("two", other))
    )

    assert hash_1 == hash_2
    assert alias_1.fingerprint != alias_2.fingerprint


def test_all_ablations_share_one_seeded_file(tmp_path: Path) -> None:
    with _opened(tmp_path, _spec(LEXICAL), _spec(HASH), _spec(LEXICAL, ALIAS, rerank=True)):
        assert [path.name for path in tmp_path.iterdir() if path.suffix == ".sqlite"] == ["knowledge.sqlite"]


def test_responses_come_one_per_request_in_request_order(tmp_path: Path) -> None:
    with _opened(tmp_path, _spec(LEXICAL), _spec(LEXICAL, ALIAS)) as retrievers:
        forwards = [[answer.id for answer in retriever.answer(REQUESTS)] for retriever in retrievers]
        backwards = [answer.id for answer in retrievers[0].answer(REQUESTS[::-1])]

    assert forwards == [["cost", "fee", "none"]] * 2
    assert backwards == ["none", "fee", "cost"]


def test_it_can_be_closed_by_each_of_its_ablations(tmp_path: Path) -> None:
    with _opened(tmp_path, _spec(LEXICAL), _spec(HASH)) as retrievers:
        for retriever in retrievers:
            retriever.close()
            retriever.close()

    assert (tmp_path / "knowledge.sqlite").exists()


@pytest.mark.parametrize(
    ("spec", "code"),
    [(_spec(), "no-channels"), (_spec("lexicla"), "unknown-channel"), (_spec(LEXICAL, "bm25"), "unknown-channel")],
)
def test_a_pipeline_that_can_not_run_is_refused(spec: AblationSpec, code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_builtin(spec)

    assert caught.value.code == code


@pytest.mark.parametrize("spec", [_spec(LEXICAL), _spec(HASH), _spec(ALIAS, LEXICAL, rerank=True)])
def test_a_pipeline_of_known_channels_is_taken(spec: AblationSpec) -> None:
    check_builtin(spec)

    assert spec.channels
