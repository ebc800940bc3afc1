from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from retrieval_gate.base.canonical import text_digest
from retrieval_gate.base.config import Channel, EngineSettings
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.fixture import Access, Document, State
from retrieval_gate.base.retrieval import Response
from retrieval_gate.engine.access import Directory
from retrieval_gate.engine.candidates import Views
from retrieval_gate.engine.channels import CHANNELS, Pipeline
from retrieval_gate.engine.corpus import Corpus
from retrieval_gate.engine.providers import providers
from retrieval_gate.engine.service import KnowledgeService
from retrieval_gate.engine.store import Store
from retrieval_gate.engine.view import View
from tests.engine.factories import (
    HYBRID,
    LEXICAL,
    OPEN,
    TOKEN_HASH,
    alias_table,
    answer,
    answers,
    document,
    ids,
    pipeline,
    principal,
    request,
)

CORPUS = (
    document("doors", "The master key opens every door.", "A lost key costs ten euros.", "Doors lock at night."),
    document("bikes", "Bikes stand in the yard.", "The yard has a lamp and a key box."),
)


def stages(response: Response) -> dict[str, list[str]]:
    return {stage.name: [str(chunk) for chunk in stage.chunks] for stage in response.stages}


def test_stages_are_named_in_the_order_they_ran(tmp_path: Path) -> None:
    (response,) = answers(tmp_path, CORPUS, [request("lost key", trace=True)], channels=HYBRID, rerank=True)
    assert [stage.name for stage in response.stages] == [
        "candidates:lexical",
        "candidates:token-hash-vector",
        "fusion",
        "rerank",
        "cut-off",
        "abstention",
    ]
    assert stages(response)["abstention"] == ids(response)


def test_a_single_channel_needs_no_fusion_and_reports_its_own_score(tmp_path: Path) -> None:
    (response,) = answers(tmp_path, CORPUS, [request("lost key", trace=True)], channels=TOKEN_HASH)
    assert list(stages(response)) == ["candidates:token-hash-vector", "cut-off", "abstention"]
    assert response.hits[0].ranks == (("candidates:token-hash-vector", 1),)
    assert response.hits[0].score is not None
    assert 0 < response.hits[0].score <= 1


def test_stages_are_given_only_when_asked_for_but_ranks_always(tmp_path: Path) -> None:
    plain = answer(tmp_path, CORPUS, "lost key", channels=HYBRID)
    assert plain.stages == ()
    assert [name for name, _ in plain.hits[0].ranks] == [
        "candidates:lexical",
        "candidates:token-hash-vector",
        "fusion",
    ]
    assert plain.hits[0].channels == HYBRID


def test_a_hit_that_one_channel_found_carries_that_channel_alone(tmp_path: Path) -> None:
    table = alias_table(key=("key", "钥匙"))
    channels = ("lexical", "regression-alias-vector")
    response = answer(tmp_path, CORPUS, "钥匙", channels=channels, aliases=table)
    assert {hit.channels for hit in response.hits} == {("regression-alias-vector",)}


def test_the_cut_off_keeps_k(tmp_path: Path) -> None:
    (response,) = answers(tmp_path, CORPUS, [request("the key", k=2, trace=True)])
    assert len(response.hits) == 2
    assert len(stages(response)["candidates:lexical"]) > 2
    assert stages(response)["cut-off"] == ids(response)


def test_a_cut_off_beyond_the_candidate_setting_is_still_filled(tmp_path: Path) -> None:
    few = EngineSettings(abstention=False, candidates=1)
    (short, long) = answers(tmp_path, CORPUS, [request("the key", k=1), request("the key", k=4)], settings=few)
    assert (len(short.hits), len(long.hits)) == (1, 4)


def test_ties_are_broken_by_content_hash_then_by_id(tmp_path: Path) -> None:
    texts = ["key one", "key two", "key six", "key ten"]
    corpus = [document(name, text) for name, text in zip("dbca", texts, strict=True)]
    corpus.extend([document("z", "key one"), document("y", "key one")])
    response = answer(tmp_path, corpus, "key")
    by_hash = sorted(corpus, key=lambda each: (text_digest(each.chunks[0].content), each.id))
    assert ids(response) == [f"{each.id}#0" for each in by_hash]
    assert len({hit.score for hit in response.hits}) == 1


def test_the_reranker_puts_words_together_and_in_order_first(tmp_path: Path) -> None:
    corpus = [
        document("apart", "box and so on and on and a key"),
        document("near", "and so on and on and a key box"),
    ]
    assert ids(answer(tmp_path, corpus, "key box", channels=LEXICAL, rerank=True))[0] == "near#0"


def test_the_reranker_puts_the_same_terms_last_the_second_time(tmp_path: Path) -> None:
    corpus = [document("a", "lost key"), document("b", "Lost, key!"), document("c", "a lost and found key")]
    plain = ids(answer(tmp_path, corpus, "lost key"))
    reranked = ids(answer(tmp_path, corpus, "lost key", rerank=True))
    assert plain[2] == "c#0"
    assert reranked[1] == "c#0"
    assert reranked[0] == plain[0]


def test_the_reranker_drops_what_it_does_not_see(tmp_path: Path) -> None:
    shallow = EngineSettings(abstention=False, rerank_depth=1)
    (response,) = answers(tmp_path, CORPUS, [request("key", trace=True)], rerank=True, settings=shallow)
    assert len(stages(response)["candidates:lexical"]) == 3
    assert len(stages(response)["rerank"]) == 1


def test_forbidden_chunks_are_no_candidates(tmp_path: Path) -> None:
    corpus = [*CORPUS, document("vault", "lost key lost key", access=Access(tenant="t1", allow=()))]
    asked = [
        request("lost key role staff tenant t1", trace=True),
        request("lost key", principal=principal("t2"), trace=True),
        request("lost key", principal=principal("t1"), trace=True),
    ]
    outsider, stranger, insider = answers(tmp_path, corpus, asked, channels=HYBRID, rerank=True)
    assert "vault#0" not in str(outsider) + str(stranger)
    assert "vault#0" in ids(insider)


def test_answers_to_many_together_are_those_to_each_alone(tmp_path: Path) -> None:
    before, after = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)
    staff = Access(tenant="t1", allow=(("role", ("staff",)),))
    corpus = [
        *CORPUS,
        document("vault", "lost key yard", access=Access(tenant="t1", allow=())),
        document("safe", "lost key yard lamp", access=staff),
        document("rule", "lost key box", begin=datetime(2026, 2, 1, tzinfo=UTC)),
    ]
    asked = [
        request(text, principal=who, as_of=as_of, k=k)
        for text in ("lost key", "yard", "lost key")
        for who in (principal("t1"), None, principal("t2"), principal("t1", role=("staff",)))
        for as_of in (after, before, None)
        for k in (10, 1)
    ]
    together = answers(tmp_path, corpus, asked)
    assert together == [answers(tmp_path, corpus, [each])[0] for each in asked]
    assert len({tuple(ids(response)) for response in together[:6]}) == 4


def test_principals_that_take_turns_do_not_cost_a_view_each_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = [*CORPUS, document("vault", "lost key lost key", access=Access(tenant="t1", allow=()))]
    asked = [request(text, principal=who) for text in ("key", "yard") for who in (None, principal("t1"))] * 3
    expected = answers(tmp_path, corpus, asked, channels=HYBRID, rerank=True)
    built: list[int] = []
    make = View.__init__

    def counted(self: View, seen: Corpus, *others: object) -> None:
        built.append(len(seen.chunks))
        make(self, seen, *others)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(View, "__init__", counted)
    monkeypatch.setattr("retrieval_gate.engine.candidates._MOST_CHUNKS", 7)
    assert answers(tmp_path, corpus, asked, channels=HYBRID, rerank=True) == expected
    assert built == [5, 6]


def test_the_view_that_was_used_last_is_dropped_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = [*CORPUS, *(document(name, "key", access=Access(tenant=name, allow=())) for name in ("t1", "t2"))]
    monkeypatch.setattr("retrieval_gate.engine.candidates._MOST_CHUNKS", 12)
    by_name = {provider.name: provider for provider in providers(None)}
    store = Store.create(tmp_path / "file", corpus, tuple(by_name.values()))
    held = store.snapshot()
    store.close()
    views = Views(Directory(None), by_name, OPEN)
    views.renew(held.policies, held.corpus)
    public, first = views.of(None, None), views.of(principal("t1"), None)
    assert views.of(None, None) is public
    views.of(principal("t2"), None)
    assert views.of(None, None) is public
    assert views.of(principal("t1"), None) is not first


def test_candidates_are_found_once_and_shared_by_pipelines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[tuple[str, int]] = []
    find = View.find

    def counted(self: View, channel: object, queries: list[str], depth: int) -> object:
        searched.append((channel.name, len(queries)))  # type: ignore[attr-defined]  # a channel row
        return find(self, channel, queries, depth)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(View, "find", counted)
    service = KnowledgeService(folder=tmp_path, documents=CORPUS, settings=OPEN, aliases=None)
    asked = [request("lost key"), request("yard"), request("lost key")]
    for each in (pipeline(LEXICAL), pipeline(HYBRID), pipeline(HYBRID, rerank=True), pipeline(LEXICAL)):
        assert len(list(service.search(each, asked))) == 3
    service.close()
    assert searched == [("lexical", 2), ("token-hash-vector", 2)]


def test_evidence_is_given_for_each_request(tmp_path: Path) -> None:
    service = KnowledgeService(folder=tmp_path, documents=CORPUS, settings=EngineSettings(), aliases=None)
    asked = [request("lost key"), request("zebra crossing"), request("?")]
    assert service.evidence(pipeline(HYBRID), asked) == [1.0, 0.0, 0.0]
    service.close()


def test_time_is_measured_and_includes_the_candidates(tmp_path: Path) -> None:
    service = KnowledgeService(folder=tmp_path, documents=CORPUS, settings=OPEN, aliases=None)
    first, second = (
        next(service.search(each, [request("lost key")])) for each in (pipeline(LEXICAL), pipeline(HYBRID))
    )
    service.close()
    assert first.elapsed_ns > 0
    assert second.elapsed_ns > 0


@pytest.mark.parametrize(
    ("channels", "code"),
    [
        (("lexikal",), "unknown-channel"),
        (("regression-alias-vector",), "no-alias-table"),
        ((), "bad-channels"),
        (("lexical", "lexical"), "bad-channels"),
    ],
)
def test_a_pipeline_that_can_not_run_is_refused_at_once(
    tmp_path: Path, channels: tuple[str, ...], code: str
) -> None:
    service = KnowledgeService(folder=tmp_path, documents=CORPUS, settings=OPEN, aliases=None)
    with pytest.raises(ConfigError) as refused:
        service.search(pipeline(channels), [])
    service.close()
    assert refused.value.code == code


def test_a_misspelt_channel_is_answered_with_the_nearest(tmp_path: Path) -> None:
    service = KnowledgeService(folder=tmp_path, documents=CORPUS, settings=OPEN, aliases=None)
    with pytest.raises(ConfigError, match="use lexical"):
        service.search(pipeline(("lexikal",)), [])
    service.close()


def test_weights_move_the_fused_order(tmp_path: Path) -> None:
    table = alias_table(key=("key", "lamp"))
    corpus = [document("a", "key box in a far corner of the yard"), document("b", "lamp")]
    service = KnowledgeService(folder=tmp_path, documents=corpus, settings=OPEN, aliases=table)

    def first(lexical: float, alias: float) -> str:
        weights = {"lexical": lexical, "regression-alias-vector": alias}
        channels = tuple(Channel(name=name, weight=weight) for name, weight in weights.items())
        return ids(next(service.search(Pipeline(channels=channels, rerank=False), [request("key")])))[0]

    lexical_heavy, alias_heavy = first(5.0, 1.0), first(0.01, 5.0)
    service.close()
    assert (lexical_heavy, alias_heavy) == ("a#0", "b#0")


def test_every_channel_is_explained() -> None:
    assert [row.name for row in CHANNELS] == [
        "lexical",
        "token-hash-vector",
        "regression-alias-vector",
        "multilingual-vector",
    ]
    assert all(row.explanation.endswith(".") for row in CHANNELS)


def test_an_empty_corpus_is_answered_with_nothing(tmp_path: Path) -> None:
    nothing: tuple[Document, ...] = ()
    response = answer(tmp_path, nothing, "lost key", channels=HYBRID, rerank=True)
    assert (response.hits, response.context, response.state) == ((), (), State.ABSTAINED)
