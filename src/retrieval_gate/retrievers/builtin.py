"""The embedded engine as a retriever: one seeding and one candidate generation for all of its ablations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from retrieval_gate import __version__
from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.fixture import Document
from retrieval_gate.base.ids import DocumentId
from retrieval_gate.base.order import first_occurrences
from retrieval_gate.base.retrieval import Hello, Request, Response
from retrieval_gate.engine.channels import Pipeline, channel_row
from retrieval_gate.engine.models import check_model, model_of
from retrieval_gate.retrievers.port import ADMINISTERED, Opening, Retriever

if TYPE_CHECKING:
    from retrieval_gate.engine.service import KnowledgeService

CAPABILITIES = frozenset({"principals", "directory", "asOf", "stages", "context"}) | ADMINISTERED


class BuiltinRetriever:
    """One pipeline over a service that may be shared with other pipelines."""

    def __init__(self, service: KnowledgeService, pipeline: Pipeline, fingerprint: str) -> None:
        self._service = service
        self._pipeline = pipeline
        self._fingerprint = fingerprint

    def hello(self) -> Hello:
        return Hello(name="builtin", version=__version__, fingerprint=self._fingerprint, capabilities=CAPABILITIES)

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        return self._service.search(self._pipeline, requests)

    @property
    def corpus(self) -> object:
        return self._service

    def update(self, document: Document) -> None:
        self._service.update(document)

    def delete(self, document: DocumentId) -> None:
        self._service.delete(document)

    def revoke(self, document: DocumentId, at: datetime) -> None:
        self._service.revoke(document, at)

    def close(self) -> None:
        self._service.close()


def open_builtin(specs: Sequence[AblationSpec], opening: Opening) -> tuple[Retriever, ...]:
    """One retriever per spec, all over the same seeded service."""
    # numpy comes with the service: only the workers need it, and the command line must start fast.
    from retrieval_gate.engine.service import KnowledgeService

    service = KnowledgeService(
        folder=opening.folder,
        documents=opening.documents,
        settings=opening.engine,
        aliases=opening.aliases,
        principals=opening.principals,
        models=_models(specs),
    )
    fingerprints = service.fingerprints
    return tuple(
        BuiltinRetriever(
            service,
            Pipeline(channels=spec.channels, rerank=spec.rerank),
            "+".join(fingerprints.get(channel_row(channel.name).provider or "", "") for channel in spec.channels),
        )
        for spec in specs
    )


def check_builtin(spec: AblationSpec) -> None:
    """Raises ConfigError where a built-in ablation has no channel, or one that the engine does not have."""
    if not spec.channels:
        raise ConfigError(
            "no-channels", f"ablation {spec.id} has no channels", fix="add e.g. channels = ['lexical']"
        )
    for channel in spec.channels:
        model = model_of(channel_row(channel.name).provider)
        if model is not None:
            check_model(model)


def _models(specs: Sequence[AblationSpec]) -> tuple[str, ...]:
    """The embedding models that any of the ablations needs, each once."""
    needed = (channel_row(channel.name).provider for spec in specs for channel in spec.channels)
    return first_occurrences(provider for provider in needed if provider and model_of(provider))
