"""Each fault of access, freshness, caches and abstention, put into the engine alone, is red and named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.gate import ROOT, Gate, with_fault
from tests.e2e.small_access import CONFIG, FIXTURE, RUN, small_access

FILES = (CONFIG, FIXTURE, "fixtures/synthetic-access-v1.baseline.jsonl")
SCENARIOS = ("non-interference", "cache-probe", "lifecycle", "positive-controls", "fail-closed", "log-output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A text of the source that is replaced, and the kinds of failure that must name it.

    `stage` is where they were found, and then the terminal says where in the fixture; None: not looked at.
    """

    file: str
    old: str
    new: str
    named: tuple[str, ...]
    stage: str | None = None


VIEW = """            view = View(corpus, self._providers, self._settings)
"""
ANSWERED = """    answered = returned if state is State.ANSWERED else []
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
        stage="log",
    ),
    "the id of a forbidden document is in a log line": Fault(
        file="engine/candidates.py",
        old=VIEW,
        new=VIEW
        + """            import logging
            logging.getLogger("engine").info("index %s", " ".join(item.id for item in self._documents))
""",
        named=("log-leak",),
        stage="log",
    ),
    "what one principal may see is dropped at the end": Fault(
        file="engine/service.py",
        old=ANSWERED,
        new=ANSWERED
        + """    if request.principal is not None and request.principal.id == "as-parent":
        answered = [place for place in answered if view.corpus.chunks[place].document != "as-bus"]
""",
        named=("over-restriction",),
        stage="hits",
    ),
    "what no labelled question asks for is dropped at the end": Fault(
        file="engine/service.py",
        old=ANSWERED,
        new=ANSWERED + '    answered = [] if request.id.startswith("retrieval-gate-probe") else answered\n',
        named=("over-restriction", "missing-version"),
        stage="hits",
    ),
    "a tenant is let into those whose names begin as its own does": Fault(
        file="engine/access.py",
        old="access.tenant != principal.tenant:",
        new='not access.tenant.startswith(principal.tenant or "~"):',
        named=("probe-leak", "interference"),
    ),
    "a tenant is let into those with whose names its own begins": Fault(
        file="engine/access.py",
        old="access.tenant != principal.tenant:",
        new='not (principal.tenant or "~").startswith(access.tenant):',
        named=("probe-leak", "interference"),
    ),
    "the directory does not look at attributes": Fault(
        file="engine/access.py",
        old="        return self._listed.get(principal.id) == principal\n",
        new="        known = self._listed.get(principal.id)\n"
        "        return known is not None and known.tenant == principal.tenant\n",
        named=("unknown-principal",),
        stage="context",
    ),
    "the cache key lacks the number of hits": Fault(
        file="engine/service.py",
        old="            k=request.k,\n            principal",
        new="            k=0,\n            principal",
        named=("cache-mixed",),
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


def _whole(folder: Path) -> Gate:
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return Gate(workspace=folder)


def _verdicts(gate: Gate, status: str) -> list[dict[str, Any]]:
    return [verdict for verdict in gate.read("report.json")["verdicts"] if verdict["status"] == status]


@pytest.mark.parametrize(
    ("make", "arguments"),
    [(_whole, ("run", "--config", CONFIG, "--report", "report.json")), (small_access, RUN)],
    ids=["the whole fixture, with its baseline", "the part that the faults are put under"],
)
def test_the_twin_without_a_fault_is_green_and_says_how_much_it_checked(
    tmp_path: Path, make: Callable[[Path], Gate], arguments: tuple[str, ...]
) -> None:
    gate = make(tmp_path)
    ran = gate.call(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert _verdicts(gate, "failed") == []
    passed = _verdicts(gate, "passed")
    counted = {kind: [verdict["n"] for verdict in passed if verdict["kind"] == kind] for kind in SCENARIOS}
    assert all(len(counts) == 2 and min(counts) > 0 for counts in counted.values()), counted


@pytest.mark.once
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_caught_and_named(tmp_path: Path, fault: Fault) -> None:
    gate = with_fault(tmp_path, file=fault.file, old=fault.old, new=fault.new, make=small_access)
    ran = gate.call(*RUN)
    assert ran.code == 1, ran.err
    stages = {verdict["kind"]: verdict["stage"] for verdict in _verdicts(gate, "failed")}
    assert stages.keys() >= set(fault.named)
    if fault.stage is not None:
        assert {stages[kind] for kind in fault.named} == {fault.stage}
        assert f"at {FIXTURE}:" in ran.out
    assert all(kind in ran.out for kind in fault.named)
