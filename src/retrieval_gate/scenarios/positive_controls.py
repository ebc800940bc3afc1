"""Every judged chunk that a principal may see is served to that principal: denying everything is no control."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from retrieval_gate.base.access import visible
from retrieval_gate.base.fixture import Split
from retrieval_gate.base.ids import AblationId, ChunkId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.scenarios.answers import returned
from retrieval_gate.scenarios.bench import Audience, Bench, judged_chunks, own_request
from retrieval_gate.scenarios.scenario import Scenario, has_access
from retrieval_gate.scenarios.tally import Tally

# Chunks that are asked for together, each by this many code points of its text: an answer to more of them would
# be abstained from, as each is too small a part of the question.
TOGETHER = 2
OPENING = 60


def _run(bench: Bench, tally: Tally, ablations: Sequence[AblationId]) -> None:
    judged = _judged(bench)
    asking = [audience for audience in bench.audiences if audience.requests]
    for number, audience in enumerate(asking):
        _audience(bench, tally, bench.turn(ablations, number, len(asking)), audience, judged)


def _judged(bench: Bench) -> dict[ChunkId, str | None]:
    """Every judged chunk with a question that judges it; None where only held-out questions do."""
    judged: dict[ChunkId, str | None] = {}
    for query in bench.fixture.queries:
        for chunk in judged_chunks(bench.fixture, query):
            judged[chunk] = judged.get(chunk) or (query.text if query.split is not Split.HELDOUT else None)
    return judged


def _audience(
    bench: Bench,
    tally: Tally,
    ablations: Sequence[AblationId],
    audience: Audience,
    judged: Mapping[ChunkId, str | None],
) -> None:
    """A chunk that is not served among others is asked for alone."""
    as_of = bench.fixture.as_of
    # Only what is served counts: no stages are asked for.
    like = replace(audience.requests[0], as_of=as_of, trace=False)
    served = set(visible(bench.fixture.documents, audience.principal, as_of).documents)
    texts = {
        chunk.id: chunk.content
        for document in bench.fixture.documents
        if document.id in served
        for chunk in document.chunks
        if chunk.id in judged
    }
    questions = together(list(texts.values()))
    requests = [own_request(f"texts-{number}", text, like) for number, text in enumerate(questions)]
    answers = bench.ask(tally, ablations, requests)
    for ablation in ablations:
        found = _found(answers[ablation])
        missing = {chunk: (text, judged[chunk]) for chunk, text in texts.items() if chunk not in found}
        denied = _denied(bench, tally, ablation, like, missing)
        for chunk in texts:
            named = () if judged[chunk] is None else (chunk,)
            finding = bench.finding("over-restriction", requests[0], "hits", named) if chunk in denied else None
            tally.check(ablation, finding)


def together(texts: Sequence[str]) -> Iterator[str]:
    """Questions that hold the openings of the texts, a few in each."""
    for first in range(0, len(texts), TOGETHER):
        yield "\n".join(text[:OPENING] for text in texts[first : first + TOGETHER])


def _denied(
    bench: Bench,
    tally: Tally,
    ablation: AblationId,
    like: Request,
    missing: Mapping[ChunkId, tuple[str, str | None]],
) -> frozenset[ChunkId]:
    """The chunks that neither their own text nor a question that judges them gets."""
    asked = [(chunk, text) for chunk, texts in missing.items() for text in texts if text is not None]
    if not asked:
        return frozenset()
    requests = [own_request(f"alone-{number}", text, like) for number, (_, text) in enumerate(asked)]
    answers = bench.ask(tally, (ablation,), requests)[ablation]
    pairs = zip(asked, answers, strict=True)
    found = {chunk for (chunk, _), answer in pairs if chunk in returned(answer)}
    return frozenset(chunk for chunk in missing if chunk not in found)


def _found(answers: Sequence[Response]) -> frozenset[ChunkId]:
    return frozenset(chunk for response in answers for chunk in returned(response))


POSITIVE_CONTROLS = Scenario(
    id="positive-controls",
    applies=has_access,
    able=lambda bench: bench.able("principals"),
    run=_run,
)
