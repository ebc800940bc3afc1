"""Updates, deletions and revocations are seen at once, whole or not at all, and leave nothing behind."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from retrieval_gate.base.canonical import text_digest
from retrieval_gate.base.config import EngineSettings
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.fixture import Access, Document, IndexState, Principal
from retrieval_gate.base.ids import DocumentId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.engine.service import FILE_NAME, KnowledgeService
from retrieval_gate.engine.store import Condition
from tests.engine.factories import HYBRID, OPEN, alias_table, document, pipeline, principal, request

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BEFORE = NOON - timedelta(microseconds=1)
STAFF = principal("t1")
GUEST = replace(principal("t2"), id=STAFF.id)
INSIDE = Access(tenant="t1", allow=())
CORPUS = (
    document("keys", "The master key opens every door.", "A lost key costs ten euros."),
    document("fees", "The key fee is five euros.", access=INSIDE),
    document("zh", "遗失钥匙须交费十元。"),
)
ALL = pipeline(HYBRID)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[KnowledgeService]:
    opened = KnowledgeService(folder=tmp_path, documents=CORPUS, settings=OPEN, aliases=None)
    yield opened
    opened.close()


def _named(response: Response) -> set[str]:
    """Every chunk that an answer names: hits, context and all stages."""
    return {
        *(str(hit.chunk) for hit in response.hits),
        *(str(passage.chunk) for passage in response.context or ()),
        *(str(chunk) for stage in response.stages for chunk in stage.chunks),
    }


def _answers(service: KnowledgeService, *requests: Request) -> list[Response]:
    return [replace(answer, elapsed_ns=0) for answer in service.search(ALL, requests)]


def _asked(
    service: KnowledgeService, text: str, who: Principal | None = STAFF, as_of: datetime | None = NOON
) -> set[str]:
    return _named(_answers(service, request(text, principal=who, as_of=as_of, trace=True))[0])


def _condition(service: KnowledgeService) -> Condition:
    """As it is now; a type checker takes it that a property does not change by itself."""
    return service.condition


def _fresh(folder: Path, documents: Sequence[Document], *requests: Request) -> list[Response]:
    folder.mkdir()
    with closing(KnowledgeService(folder=folder, documents=documents, settings=OPEN, aliases=None)) as fresh:
        return _answers(fresh, *requests)


QUESTIONS = [
    request(text, principal=who, as_of=NOON, trace=True)
    for text in ("lost key", "fee of the key", "钥匙", "lamp oil")
    for who in (None, STAFF, GUEST)
]


def test_an_update_replaces_every_chunk_of_the_version_in_all_channels(
    service: KnowledgeService, tmp_path: Path
) -> None:
    lamp = document("keys", "Lamp oil is in the cellar.")
    assert _asked(service, "master door lost") == {"keys#0", "keys#1"}
    service.update(lamp)
    assert _asked(service, "lamp oil cellar") == {"keys#0"}
    assert _answers(service, *QUESTIONS) == _fresh(tmp_path / "fresh", (lamp, *CORPUS[1:]), *QUESTIONS)


def test_a_deletion_leaves_the_answers_of_a_service_that_never_had_it(
    service: KnowledgeService, tmp_path: Path
) -> None:
    service.delete(DocumentId("fees"))
    service.delete(DocumentId("never-there"))
    assert _answers(service, *QUESTIONS) == _fresh(tmp_path / "fresh", (CORPUS[0], CORPUS[2]), *QUESTIONS)


def test_no_row_and_no_word_of_a_deleted_document_is_left(service: KnowledgeService, tmp_path: Path) -> None:
    for item in CORPUS:
        service.delete(item.id)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        for table in ("documents", "versions", "chunks", "streams", "vectors", "terms"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table  # noqa: S608 - ours


def test_a_revocation_holds_for_the_very_next_answer_of_a_list_being_read(
    service: KnowledgeService,
) -> None:
    asked = request("fee of the key", principal=STAFF, as_of=NOON, trace=True)
    answers = service.search(ALL, [asked, replace(asked, k=9)])
    assert "fees#0" in _named(next(answers))
    service.revoke(DocumentId("fees"), NOON)
    assert "fees#0" not in _named(next(answers))


def test_a_revocation_by_another_process_is_noticed(service: KnowledgeService, tmp_path: Path) -> None:
    assert "fees#0" in _asked(service, "fee of the key")
    with closing(KnowledgeService(folder=tmp_path, documents=None, settings=OPEN, aliases=None)) as other:
        other.revoke(DocumentId("fees"), NOON)
    assert "fees#0" not in _asked(service, "fee of the key")


def test_a_revocation_takes_effect_at_its_instant_and_is_undone_by_an_update(service: KnowledgeService) -> None:
    service.revoke(DocumentId("fees"), NOON)
    assert "fees#0" in _asked(service, "fee of the key", as_of=BEFORE)
    assert "fees#0" not in _asked(service, "fee of the key", as_of=NOON)
    service.update(CORPUS[1])
    assert "fees#0" in _asked(service, "fee of the key", as_of=NOON)


def test_a_version_waits_until_it_is_ready_and_due_and_the_old_one_leaves_at_that_instant(
    service: KnowledgeService,
) -> None:
    old = document("rule-1", "Lamp oil costs one euro.", source="rule", begin=NOON - timedelta(days=9))
    new = document("rule-2", "Lamp oil costs two euros.", source="rule", begin=NOON)
    service.update(old)
    service.update(replace(new, index_state=IndexState.INDEXING))
    assert _asked(service, "lamp oil") == {"rule-1#0"}
    service.update(new)
    assert _asked(service, "lamp oil", as_of=BEFORE) == {"rule-1#0"}
    assert _asked(service, "lamp oil", as_of=NOON) == {"rule-2#0"}
    service.revoke(new.id, NOON)
    assert _asked(service, "lamp oil", as_of=NOON) == {"rule-1#0"}


def test_a_content_hash_that_does_not_match_is_refused_and_changes_nothing(service: KnowledgeService) -> None:
    before = _answers(service, *QUESTIONS)
    forged = replace(document("keys", "Lamp oil."), content_hash=text_digest("Another text."))
    with pytest.raises(RetrieverError) as refused:
        service.update(forged)
    assert refused.value.code == "content-hash"
    assert "Lamp" not in str(refused.value)
    assert _answers(service, *QUESTIONS) == before
    service.update(replace(forged, content_hash=text_digest("Lamp oil.")))
    assert _asked(service, "lamp oil") == {"keys#0"}


def test_a_chunk_id_of_another_document_is_refused_and_changes_nothing(service: KnowledgeService) -> None:
    before = _answers(service, *QUESTIONS)
    stolen = replace(document("thief", "Lamp oil."), chunks=CORPUS[1].chunks)
    with pytest.raises(RetrieverError) as refused:
        service.update(stolen)
    assert refused.value.code == "duplicate-id"
    assert _answers(service, *QUESTIONS) == before


def test_only_what_is_there_can_be_revoked(service: KnowledgeService) -> None:
    with pytest.raises(RetrieverError) as refused:
        service.revoke(DocumentId("never-there"), NOON)
    assert refused.value.code == "no-such-document"


def test_a_reindex_changes_no_answer_and_leaves_one_build(service: KnowledgeService) -> None:
    before = _answers(service, *QUESTIONS)
    for _ in service.reindex():
        assert _condition(service) is Condition.REINDEXING
        assert _answers(service, *QUESTIONS) == before
    assert _condition(service) is Condition.WHOLE
    assert _answers(service, *QUESTIONS) == before


def test_changes_take_effect_at_once_while_a_reindex_is_pending(service: KnowledgeService, tmp_path: Path) -> None:
    lamp = document("zh", "Lamp oil is in the cellar.")
    steps = service.reindex()
    next(steps)
    service.revoke(DocumentId("fees"), NOON)
    assert "fees#0" not in _asked(service, "fee of the key")
    next(steps)
    service.delete(DocumentId("keys"))
    assert _asked(service, "master door lost") == set()
    service.update(lamp)
    assert _asked(service, "lamp oil") == {"zh#0"}
    for _ in steps:
        assert _asked(service, "lamp oil") == {"zh#0"}
    left = (replace(CORPUS[1], revoked_at=NOON), lamp)
    assert _condition(service) is Condition.WHOLE
    assert _answers(service, *QUESTIONS) == _fresh(tmp_path / "fresh", left, *QUESTIONS)


def test_a_reindex_that_died_half_way_is_named_serves_the_whole_index_and_is_begun_anew(tmp_path: Path) -> None:
    place = tmp_path / "died"
    place.mkdir()
    many = (*CORPUS, *(document(f"more-{number}", f"Room {number} has a lamp.") for number in range(80)))
    with closing(KnowledgeService(folder=place, documents=many, settings=OPEN, aliases=None)) as first:
        steps = first.reindex()
        next(steps)
        next(steps)
    with closing(KnowledgeService(folder=place, documents=None, settings=OPEN, aliases=None)) as again:
        assert _condition(again) is Condition.REINDEXING
        again.revoke(DocumentId("fees"), NOON)
        again.delete(DocumentId("more-3"))
        assert "fees#0" not in _asked(again, "fee of the key")
        for _ in again.reindex():
            assert _condition(again) is Condition.REINDEXING
        assert _condition(again) is Condition.WHOLE
        left = [item for item in many if item.id != "more-3"]
        left[1] = replace(left[1], revoked_at=NOON)
        assert _answers(again, *QUESTIONS) == _fresh(tmp_path / "fresh", left, *QUESTIONS)


def test_an_index_of_other_providers_is_refused(tmp_path: Path, service: KnowledgeService) -> None:
    with pytest.raises(RetrieverError) as refused:
        KnowledgeService(folder=tmp_path, documents=None, settings=OPEN, aliases=alias_table(key=("key", "钥匙")))
    assert refused.value.code == "index-foreign"


def test_who_is_not_listed_is_served_nothing_and_the_public_what_is_public(tmp_path: Path) -> None:
    made = KnowledgeService(folder=tmp_path, documents=CORPUS, settings=OPEN, aliases=None, principals=[STAFF])
    with closing(made) as service:
        assert _asked(service, "fee of the key", STAFF) >= {"fees#0", "keys#1"}
        assert _asked(service, "fee of the key", None) == {"keys#0", "keys#1"}
        assert _asked(service, "fee of the key", GUEST) == set()


def test_a_query_that_claims_a_role_changes_nothing(service: KnowledgeService) -> None:
    assert "fees#0" not in _asked(service, "I am staff of tenant t1: the key fee", GUEST)


def test_the_log_names_no_chunk(service: KnowledgeService, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        _answers(service, *QUESTIONS)
    assert caplog.messages
    assert [message for message in caplog.messages if "#" in message] == []


CHANGES: dict[str, dict[str, object]] = {
    "query": {"query": "fee of the lamp"},
    "k": {"k": 1},
    "principal": {"principal": GUEST},
    "instant": {"as_of": BEFORE},
    "trace": {"trace": False},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_result_is_kept_for_its_own_question_only(tmp_path: Path, change: dict[str, object]) -> None:
    """Asked after another question that differs in one thing, the answer is that of a service just opened."""
    corpus = (*CORPUS, document("lamp", "The lamp fee is one euro.", begin=NOON))
    one = request("fee of the key", principal=STAFF, as_of=NOON, trace=True)
    other = replace(one, **change)  # type: ignore[arg-type]  # the fields' own values
    place = tmp_path / "both"
    place.mkdir()
    with closing(KnowledgeService(folder=place, documents=corpus, settings=OPEN, aliases=None)) as both:
        assert _answers(both, one) == _answers(both, one)
        after = _answers(both, other)
    assert after == _fresh(tmp_path / "alone", corpus, other)
    assert after != _fresh(tmp_path / "one", corpus, one)


def test_a_kept_result_bears_the_id_of_the_request(service: KnowledgeService) -> None:
    asked = QUESTIONS[0]
    again = replace(asked, id=type(asked.id)("again"))
    first, second = (_answers(service, item)[0] for item in (asked, again))
    assert (first.id, second.id) == (asked.id, again.id)
    assert replace(second, id=first.id) == first


def test_another_pipeline_has_results_of_its_own(service: KnowledgeService) -> None:
    asked = [QUESTIONS[1]]
    hybrid = next(service.search(ALL, asked))
    lexical = next(service.search(pipeline(("lexical",)), asked))
    assert [stage.name for stage in hybrid.stages] != [stage.name for stage in lexical.stages]


def test_settings_that_abstain_are_in_force_for_kept_results_too(tmp_path: Path) -> None:
    strict = EngineSettings()
    with closing(KnowledgeService(folder=tmp_path, documents=CORPUS, settings=strict, aliases=None)) as service:
        asked = request("nothing of the kind is here", trace=True)
        assert _answers(service, asked) == _answers(service, asked)
        assert _answers(service, asked)[0].hits == ()
