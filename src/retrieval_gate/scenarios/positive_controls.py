"""Every judged chunk that a principal may see can be found by that principal: denying everything is no control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from retrieval_gate.base.access import visible
from retrieval_gate.base.fixture import Split
from retrieval_gate.base.ids import AblationId, ChunkId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.scenarios.answers import everything
from retrieval_gate.scenarios.bench import Audience, Bench, judged_chunks, own_request
from retrieval_gate.scenarios.scenario import Scenario, has_access
from retrieval_gate.scenarios.tally import Tally

# Chunks that are asked for together, each by this many code points of its text.
_TOGETHER = 20
_OPENING = 40


def _run(bench: Bench, tally: Tally, ablations: Sequence[AblationId]) -> None:
    judged = _judged(bench)
    for number, audience in enumerate(bench.audiences):
        if audience.requests:
            _audience(bench, tally, bench.turn(ablations, number), audience, judged)


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
    judged: dict[ChunkId, str | None],
) -> None:
    """All texts are asked for together first; a chunk that is not found so is asked for alone."""
    as_of = bench.fixture.as_of
    like = replace(audience.requests[0], as_of=as_of)
    served = set(visible(bench.fixture.documents, audience.principal, as_of).documents)
    texts = {
        chunk.id: chunk.content
        for document in bench.fixture.documents
        if document.id in served
        for chunk in document.chunks
        if chunk.id in judged
    }
    requests = [
        own_request(f"texts-{number}", text, like, k=max(like.k, 2 * _TOGETHER))
        for number, text in enumerate(_joined(list(texts.values())))
    ]
    answers = bench.ask(tally, ablations, requests)
    for ablation in ablations:
        found = _found(answers[ablation])
        for chunk, text in texts.items():
            ok = chunk in found or _alone(bench, tally, ablation, like, chunk, (text, judged[chunk]))
            named = () if judged[chunk] is None else (chunk,)
            tally.check(ablation, None if ok else bench.finding("over-restriction", requests[0], "hits", named))


def _joined(texts: Sequence[str]) -> Iterator[str]:
    """The openings of the texts, several in one question."""
    for first in range(0, len(texts), _TOGETHER):
        yield "\n".join(text[:_OPENING] for text in texts[first : first + _TOGETHER])


def _alone(
    bench: Bench,
    tally: Tally,
    ablation: AblationId,
    like: Request,
    chunk: ChunkId,
    texts: tuple[str, str | None],
) -> bool:
    """Whether the chunk's own text, or a question that judges it, finds it."""
    requests = [
        own_request(f"alone-{number}", text, like) for number, text in enumerate(texts) if text is not None
    ]
    return chunk in _found(bench.ask(tally, (ablation,), requests)[ablation])


def _found(answers: Sequence[Response]) -> frozenset[ChunkId]:
    return frozenset(chunk for response in answers for chunk in everything(response))


POSITIVE_CONTROLS = Scenario(
    id="positive-controls",
    explanation=(
        "Every judged chunk that a principal may see is found by that principal, by its own text or by a question "
        "that judges it. Each pair of principal and chunk is a check, so that denying everything can not pass."
    ),
    applies=has_access,
    able=lambda bench: bench.able("principals"),
    run=_run,
)
