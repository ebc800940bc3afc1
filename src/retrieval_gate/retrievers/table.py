"""The retrievers, one row per kind of a configuration's `retriever = "scheme:…"`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.names import nearest
from retrieval_gate.retrievers.builtin import check_builtin, open_builtin
from retrieval_gate.retrievers.exec import check_exec, open_exec
from retrieval_gate.retrievers.http import check_http, open_http
from retrieval_gate.retrievers.mcp import check_mcp, open_mcp
from retrieval_gate.retrievers.port import Opening, Retriever
from retrieval_gate.retrievers.python import check_python, open_python
from retrieval_gate.retrievers.replay import check_replay, open_replay


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverRow:
    """`check` refuses a spec before anything runs; `open` opens all ablations of the kind together.

    `shared`: both runs reach one and the same state unless a configuration says otherwise. `in_process`: the
    user's code runs in the worker itself, so that it can end it. `recorded`: nothing is retrieved, what was
    answered before is told again. `checks_names`: `check` looks at nothing but the tables.
    """

    schemes: tuple[str, ...]
    explanation: str
    check: Callable[[AblationSpec], None]
    open: Callable[[Sequence[AblationSpec], Opening], tuple[Retriever, ...]]
    shared: bool = False
    in_process: bool = False
    recorded: bool = False
    checks_names: bool = False


RETRIEVERS = (
    RetrieverRow(
        schemes=("builtin",),
        explanation="the embedded knowledge service: SQLite, BM25, vectors, fusion, rerank, context, abstention",
        check=check_builtin,
        open=open_builtin,
        checks_names=True,
    ),
    RetrieverRow(
        schemes=("python",),
        explanation="a function or an object of a Python module, in the gate's own worker",
        check=check_python,
        open=open_python,
        in_process=True,
    ),
    RetrieverRow(
        schemes=("exec",),
        explanation="a program in any language: the contract's JSON Lines over its stdin and stdout",
        check=check_exec,
        open=open_exec,
    ),
    RetrieverRow(
        schemes=("http", "https"),
        explanation="a server: the contract over HTTP, plain JSON, or a search engine's own API",
        check=check_http,
        open=open_http,
        shared=True,
    ),
    RetrieverRow(
        schemes=("mcp",),
        explanation="a tool of an MCP server over its stdin and stdout",
        check=check_mcp,
        open=open_mcp,
    ),
    RetrieverRow(
        schemes=("replay",),
        explanation="answers that were recorded before, by `retrieval-gate record` or as a TREC run",
        check=check_replay,
        open=open_replay,
        recorded=True,
    ),
)


def check_retriever(spec: AblationSpec) -> None:
    """Raises ConfigError where the scheme is unknown or the scheme refuses the spec."""
    _row(spec).check(spec)


def check_names(spec: AblationSpec) -> None:
    """The same for names alone, of an ablation that will not run: what it needs, as a file, may be absent."""
    row = _row(spec)
    if row.checks_names:
        row.check(spec)


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


def is_shared(spec: AblationSpec) -> bool:
    """Whether both runs and the scenarios reach one and the same state, so that they go one after the other."""
    row = _known(spec)
    shared = row is not None and row.shared
    return shared if spec.transport.shared is None else spec.transport.shared


def runs_in_process(spec: AblationSpec) -> bool:
    """Whether the user's code runs in the worker's own process."""
    row = _known(spec)
    return row is not None and row.in_process


def is_recorded(spec: AblationSpec) -> bool:
    """Whether nothing is retrieved: what was answered before is told again."""
    return _row(spec).recorded


def _known(spec: AblationSpec) -> RetrieverRow | None:
    return next((row for row in RETRIEVERS if spec.scheme in row.schemes), None)


def _row(spec: AblationSpec) -> RetrieverRow:
    row = _known(spec)
    if row is not None:
        return row
    known = [scheme for row in RETRIEVERS for scheme in row.schemes]
    hint = nearest(spec.scheme, known)
    raise ConfigError(
        "unknown-retriever",
        f"ablation {spec.id} names a kind of retriever that does not exist"
        + (f"; the nearest is {hint}" if hint else ""),
        fix=f"choose from {', '.join(known)}",
    )
