"""The retrievers, one row per scheme of a configuration's `retriever = "scheme:…"`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.names import nearest
from retrieval_gate.retrievers.builtin import check_builtin, open_builtin
from retrieval_gate.retrievers.port import Opening, Retriever


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverRow:
    """`check` refuses a spec before anything runs; `open` opens all ablations of the scheme together."""

    scheme: str
    explanation: str
    check: Callable[[AblationSpec], None]
    open: Callable[[Sequence[AblationSpec], Opening], tuple[Retriever, ...]]


RETRIEVERS = (
    RetrieverRow(
        scheme="builtin",
        explanation="the embedded knowledge service: SQLite, BM25, vectors, fusion, rerank, context, abstention",
        check=check_builtin,
        open=open_builtin,
    ),
)


def check_retriever(spec: AblationSpec) -> None:
    """Raises ConfigError where the scheme is unknown or the scheme refuses the spec."""
    _row(spec).check(spec)


def open_retrievers(specs: Sequence[AblationSpec], opening: Opening) -> dict[AblationId, Retriever]:
    """Every ablation's retriever, in the order of `specs`. Where one can not be opened, none is left open."""
    opened: dict[AblationId, Retriever] = {}
    with ExitStack() as undo:
        for row in RETRIEVERS:
            own = [spec for spec in specs if _row(spec) is row]
            for spec, retriever in zip(own, row.open(own, opening) if own else (), strict=True):
                undo.callback(retriever.close)
                opened[spec.id] = retriever
        undo.pop_all()
    return {spec.id: opened[spec.id] for spec in specs}


def _row(spec: AblationSpec) -> RetrieverRow:
    scheme = spec.retriever.partition(":")[0]
    for row in RETRIEVERS:
        if row.scheme == scheme:
            return row
    known = [row.scheme for row in RETRIEVERS]
    hint = nearest(scheme, known)
    raise ConfigError(
        "unknown-retriever",
        f"ablation {spec.id} names a kind of retriever that does not exist"
        + (f"; the nearest is {hint}" if hint else ""),
        fix=f"choose from {', '.join(known)}",
    )
