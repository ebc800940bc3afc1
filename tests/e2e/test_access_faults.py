"""Each fault of access, freshness, caches and abstention, put into the engine alone, is red and named."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.gate import ROOT, Gate, with_fault

CONFIG = "fixtures/synthetic-access-v1.toml"
FILES = (CONFIG, "fixtures/synthetic-access-v1.json", "fixtures/synthetic-access-v1.baseline.jsonl")
SCENARIOS = ("non-interference", "cache-probe", "lifecycle", "positive-controls", "fail-closed", "log-output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A text of the source that is replaced, and the kinds of failure that must name it."""

    file: str
    old: str
    new: str
    named: tuple[str, ...]


VIEW = """            view = View(corpus, self._providers, self._settings)
"""
FAULTS = {
    "the tenant filter is removed": Fault(
        file="engine/access.py",
        old="    if access.tenant is not None and access.tenant != principal.tenant:\n        return False\n",
        new="",
        named=("permission-leak", "probe-leak", "interference"),
    ),
    "the role filter comes after retrieval": Fault(
        file="engine/candidates.py",
        old="        return self._view(self._served[audience])\n",
        new="""        import copy, dataclasses
        from retrieval_gate.engine.ranking import Ranking
        anyone = [dataclasses.replace(document, access=document.access
            and dataclasses.replace(document.access, allow=())) for document in self._documents]
        wide, narrow = self._view(served(anyone, principal, as_of)), self._served[audience]
        def late(channel, queries, depth):
            for found in wide.find(channel, queries, depth):
                keep = [number for number, place in enumerate(found.ranking.positions.tolist())
                    if wide.corpus.chunks[place].document in narrow]
                yield dataclasses.replace(found, ranking=Ranking(
                    positions=found.ranking.positions[keep], scores=found.ranking.scores[keep]))
        view = copy.copy(wide)
        view.find = late
        return view
""",
        named=("interference",),
    ),
    "a neighbour of another tenant is in the context": Fault(
        file="engine/candidates.py",
        old=VIEW,
        new=VIEW
        + """            from retrieval_gate.base.retrieval import Passage
            whole, assemble = [chunk.id for chunk in self._corpus.chunks], view.context.assemble
            def crossing(hits):
                passages = assemble(hits)
                beside = [whole[(whole.index(passage.chunk) + 1) % len(whole)] for passage in passages]
                return passages + tuple(Passage(chunk=chunk) for chunk in beside)
            view.context.assemble = crossing
""",
        named=("permission-leak", "probe-leak"),
    ),
    "statistics are shared across tenants": Fault(
        file="engine/candidates.py",
        old=VIEW,
        new=VIEW
        + """            import dataclasses
            from retrieval_gate.engine.lexical import postings
            for name in self._providers:
                whole = postings(self._corpus.streams[name], self._corpus.terms)
                stream = view.stream(name)
                stream.postings = dataclasses.replace(
                    stream.postings, idf=whole.idf, idf_unknown=whole.idf_unknown)
""",
        named=("interference",),
    ),
    "the cache key lacks the principal": Fault(
        file="engine/service.py",
        old="            principal=request.principal,\n            as_of=request.as_of,\n            trace",
        new="            principal=None,\n            as_of=request.as_of,\n            trace",
        named=("cache-leak",),
    ),
    "the cache is kept on revocation": Fault(
        file="engine/store.py",
        old="            rows.finish(content=False)\n",
        new="            rows.finish(changed=False)\n",
        named=("revoked-served",),
    ),
    "the old version is still in the vector index": Fault(
        file="engine/store.py",
        old="            rows.remove(document.id)\n            rows.add(document)\n",
        new="""            kept = self._connection.execute(
                "SELECT dimensions, counts, chunk, build, provider FROM vectors JOIN chunks ON chunks.id = chunk "
                "WHERE document = ?", (document.id,)).fetchall()
            rows.remove(document.id)
            rows.add(document)
            self._connection.executemany("UPDATE vectors SET dimensions = ?, counts = ? "
                "WHERE chunk = ? AND build = ? AND provider = ?", kept)
""",
        named=("ghost-row",),
    ),
    "a new version is visible before it is ready": Fault(
        file="engine/access.py",
        old="    if document.index_state is not IndexState.READY:\n        return False\n",
        new="",
        named=("early-version",),
    ),
    "effective dates are compared in local time": Fault(
        file="engine/access.py",
        old="    if begin is not None and as_of < begin:\n",
        new="    if begin is not None and as_of.replace(tzinfo=None) < begin.replace(tzinfo=None):\n",
        named=("early-version",),
    ),
    "everything is denied": Fault(
        file="engine/access.py",
        old="    if principal is None:\n        return False\n",
        new="    if principal or not principal:\n        return False\n",
        named=("over-restriction",),
    ),
    "an unknown principal is treated as public": Fault(
        file="engine/candidates.py",
        old="            return frozenset()\n",
        new="            return served(self._documents, None, as_of)\n",
        named=("unknown-principal",),
    ),
    "a forbidden id is in a log line": Fault(
        file="engine/candidates.py",
        old=VIEW,
        new=VIEW
        + """            import logging
            logging.getLogger("engine").info("index %s", ", ".join(chunk.id for chunk in self._corpus.chunks))
""",
        named=("log-leak",),
    ),
    "the abstention threshold is zero": Fault(
        file="engine/service.py",
        old="self._thresholds = thresholds(settings.thresholds)",
        new="self._thresholds = dict.fromkeys(thresholds(settings.thresholds), 0.0)",
        named=("unsupported-answer",),
    ),
    "the threshold is so high that all abstain": Fault(
        file="engine/service.py",
        old="self._thresholds = thresholds(settings.thresholds)",
        new="self._thresholds = dict.fromkeys(thresholds(settings.thresholds), 2.0)",
        named=("over-abstention",),
    ),
}


def _workspace(folder: Path, source: Path | None) -> Gate:
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return Gate(workspace=folder, source=source)


def _verdicts(gate: Gate, status: str) -> list[dict[str, Any]]:
    report = json.loads((gate.workspace / "report.json").read_text(encoding="utf-8"))
    return [verdict for verdict in report["verdicts"] if verdict["status"] == status]


def test_the_twin_without_a_fault_is_green_and_says_how_much_it_checked(tmp_path: Path) -> None:
    gate = _workspace(tmp_path, None)
    ran = gate.run("run", "--config", CONFIG, "--report", "report.json")
    assert (ran.code, ran.err) == (0, "")
    assert _verdicts(gate, "failed") == []
    passed = _verdicts(gate, "passed")
    counted = {kind: [verdict["n"] for verdict in passed if verdict["kind"] == kind] for kind in SCENARIOS}
    assert all(len(counts) == 2 and min(counts) > 0 for counts in counted.values()), counted


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_caught_and_named(tmp_path: Path, fault: Fault) -> None:
    faulty = with_fault(tmp_path, file=fault.file, old=fault.old, new=fault.new)
    gate = _workspace(tmp_path / "access", faulty.source)
    ran = gate.run("run", "--config", CONFIG, "--report", "report.json")
    assert ran.code == 1, ran.err
    kinds = {verdict["kind"] for verdict in _verdicts(gate, "failed")}
    assert kinds >= set(fault.named)
    assert all(kind in ran.out for kind in fault.named)
