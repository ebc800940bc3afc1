"""What a probe looks at: everything that was asked of one retriever, and what came back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.fixture import Fixture
from retrieval_gate.base.ids import ChunkId, DocumentId, QueryId
from retrieval_gate.base.record import Observation
from retrieval_gate.base.retrieval import Response
from retrieval_gate.doctor.process import Seen
from retrieval_gate.doctor.questions import Question, Round, RoundId
from retrieval_gate.doctor.wire import Fault
from retrieval_gate.retrievers.table import is_recorded
from retrieval_gate.scoring.observe import Observer

# How many queries a finding names.
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One retriever. `second` is the other process's, None where the first one failed.

    `observer` knows every query of `rounds` but those of principals that the fixture does not have. `owners` has
    the document of each chunk.
    """

    fixture: Fixture
    spec: AblationSpec
    k: int
    rounds: tuple[Round, ...]
    first: Seen
    second: Seen | None
    observer: Observer
    owners: dict[ChunkId, DocumentId]

    @property
    def capabilities(self) -> frozenset[str]:
        return frozenset() if self.first.hello is None else self.first.hello.capabilities

    @property
    def recorded(self) -> bool:
        """Whether a recording answers: it says nothing of what its retriever can do."""
        return is_recorded(self.spec)

    def lacks(self, capability: str) -> bool:
        """Whether a retriever that could say that it has the capability does not."""
        return not self.recorded and capability not in self.capabilities

    def answers(self, part: RoundId, seen: Seen | None = None) -> list[tuple[Question, Response]]:
        """The answers of a round of the first process, or of `seen`, without those that are none."""
        replies = (self.first if seen is None else seen).replies.get(part, [])
        return [(question, reply) for question, reply in replies if isinstance(reply, Response)]

    def faults(self) -> list[tuple[Question, Fault]]:
        """The answers that are none, of all rounds of the first process."""
        return [
            (question, reply)
            for replies in self.first.replies.values()
            for question, reply in replies
            if isinstance(reply, Fault)
        ]

    def observed(self, part: RoundId, seen: Seen | None = None) -> list[tuple[Question, Observation]]:
        """The same answers as the gate remembers them."""
        return [
            (question, self.observer.observe(self.spec.id, question.query, response))
            for question, response in self.answers(part, seen)
        ]


def named(questions: Sequence[Question]) -> tuple[QueryId, ...]:
    """Some of the fixture's queries that were asked, each once."""
    return tuple(dict.fromkeys(question.origin for question in questions))[:_NAMED]
