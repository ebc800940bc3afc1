from __future__ import annotations

import sqlite3
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from retrieval_gate.base.canonical import text_digest
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.fixture import Access
from retrieval_gate.engine import store
from retrieval_gate.engine.providers import embed, providers
from retrieval_gate.engine.schema import SCHEMA_VERSION
from retrieval_gate.engine.service import FILE_NAME, KnowledgeService
from retrieval_gate.engine.store import Store
from tests.engine.factories import OPEN, alias_table, answer, document

TABLE = alias_table(key=("key", "钥匙"))
DOCUMENTS = (
    document(
        "doors",
        "A lost key.",
        "Doors lock.",
        source="handbook",
        begin=datetime(2026, 1, 1, 9, tzinfo=timezone(timedelta(hours=9))),
        access=Access(tenant="t1", allow=(("role", ("staff",)),)),
    ),
    document("zh", "遗失钥匙"),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / FILE_NAME
    Store.create(file, DOCUMENTS, providers(TABLE)).close()
    return file


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def run(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_the_file_holds_documents_versions_and_chunks(path: Path) -> None:
    assert rows(path, "SELECT id, source, access FROM documents ORDER BY id") == [
        ("doors", "handbook", '{"allow": [["role", ["staff"]]], "tenant": "t1"}'),
        ("zh", None, None),
    ]
    assert rows(path, "SELECT document, index_state, effective_from FROM versions ORDER BY document") == [
        ("doors", "ready", "2026-01-01T00:00:00.000000+00:00"),
        ("zh", "ready", None),
    ]
    assert rows(path, "SELECT id, document, ordinal, content, content_hash, length FROM chunks ORDER BY id") == [
        ("doors#0", "doors", 0, "A lost key.", text_digest("A lost key."), 11),
        ("doors#1", "doors", 1, "Doors lock.", text_digest("Doors lock."), 11),
        ("zh#0", "zh", 0, "遗失钥匙", text_digest("遗失钥匙"), 4),
    ]


def test_the_file_holds_the_terms_and_vectors_of_each_provider(path: Path) -> None:
    terms = {number: term for number, term in rows(path, "SELECT id, term FROM terms")}  # noqa: C416 - typed pairs
    for provider in providers(TABLE):
        features = provider.features("A lost key.")
        ((stream, dimensions, counts),) = rows(
            path,
            "SELECT terms, dimensions, counts FROM streams JOIN vectors USING (provider, chunk) "  # noqa: S608 - ours
            f"WHERE provider = '{provider.name}' AND chunk = 'doors#0'",
        )
        assert isinstance(stream, bytes)
        assert isinstance(dimensions, bytes)
        assert isinstance(counts, bytes)
        assert [terms[number] for number in np.frombuffer(stream, "<i4").tolist()] == features
        vector = zip(np.frombuffer(dimensions, "<u2").tolist(), np.frombuffer(counts, "i1").tolist(), strict=True)
        assert dict(vector) == embed(features)


def test_a_whole_file_opens_and_loads_the_same_chunks(path: Path) -> None:
    store = Store.open(path, providers(TABLE))
    corpus = store.snapshot().corpus
    store.close()
    hashes = {"doors#0": "A lost key.", "doors#1": "Doors lock.", "zh#0": "遗失钥匙"}
    assert [str(chunk.id) for chunk in corpus.chunks] == sorted(hashes, key=lambda name: text_digest(hashes[name]))


def test_a_process_killed_while_seeding_leaves_no_index(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from retrieval_gate.engine.providers import providers\n"
        "from retrieval_gate.engine.store import Store\n"
        "from tests.engine.factories import document\n"
        "def documents():\n"
        "    yield document('a', 'one')\n"
        "    yield document('b', 'two')\n"
        "    os._exit(9)\n"
        "Store.create(Path(sys.argv[1]), documents(), providers(None))\n"
    )
    file = tmp_path / FILE_NAME
    killed = subprocess.run([sys.executable, "-c", script, str(file)], cwd=Path(__file__).parents[2], check=False)
    assert killed.returncode == 9
    with pytest.raises(RetrieverError) as refused:
        Store.open(file, providers(None))
    assert refused.value.code == "index-incomplete"
    assert rows(file, "SELECT count(*) FROM chunks") == [(0,)]


@pytest.mark.parametrize("table", ["streams", "vectors", "terms"])
def test_a_file_that_lost_a_row_is_refused(path: Path, table: str) -> None:
    run(path, f"DELETE FROM {table} WHERE rowid = 1")  # noqa: S608 - a table's name
    with pytest.raises(RetrieverError) as refused:
        Store.open(path, providers(TABLE))
    assert refused.value.code == "index-incomplete"


def test_a_row_of_another_chunk_does_not_stand_in_for_one_that_is_lost(path: Path) -> None:
    run(path, "UPDATE vectors SET chunk = 'ghost#0' WHERE rowid = 1")
    with pytest.raises(RetrieverError) as refused:
        Store.open(path, providers(TABLE))
    assert refused.value.code == "index-incomplete"


def test_another_schema_is_refused(path: Path) -> None:
    run(path, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(RetrieverError) as refused:
        Store.open(path, providers(TABLE))
    assert refused.value.code == "index-schema"


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RetrieverError) as missing:
        Store.open(tmp_path / FILE_NAME, providers(None))
    (tmp_path / FILE_NAME).write_bytes(b"not a database, but long enough to look at" * 100)
    with pytest.raises(RetrieverError) as foreign:
        Store.open(tmp_path / FILE_NAME, providers(None))
    assert (missing.value.code, foreign.value.code) == ("index-missing", "index-unreadable")


def test_a_full_disk_is_called_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store, "_seed", full)
    with pytest.raises(RetrieverError) as refused:
        Store.create(tmp_path / FILE_NAME, (), ())
    assert refused.value.code == "index-unwritable"


def test_a_folder_is_seeded_once(tmp_path: Path) -> None:
    KnowledgeService(folder=tmp_path, documents=DOCUMENTS, settings=OPEN, aliases=None).close()
    with pytest.raises(RetrieverError) as refused:
        KnowledgeService(folder=tmp_path, documents=DOCUMENTS, settings=OPEN, aliases=None)
    assert refused.value.code == "index-exists"


def test_two_chunks_with_one_id_are_refused_without_quoting_them(tmp_path: Path) -> None:
    with pytest.raises(RetrieverError) as refused:
        answer(tmp_path, [document("a", "lost"), document("a", "key")], "lost")
    assert refused.value.code == "duplicate-id"
    assert "lost" not in str(refused.value)


def test_only_the_folder_is_written(tmp_path: Path) -> None:
    place = tmp_path / "inside"
    place.mkdir()
    KnowledgeService(folder=place, documents=DOCUMENTS, settings=OPEN, aliases=TABLE).close()
    assert [file.relative_to(tmp_path).as_posix() for file in sorted(tmp_path.rglob("*"))] == [
        "inside",
        f"inside/{FILE_NAME}",
    ]
