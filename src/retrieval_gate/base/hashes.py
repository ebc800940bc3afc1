"""The hashes that say what was evaluated, without disclosing it (design §2, "Hashes")."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval_gate.base.ids import QueryId


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Each a 64-digit hex SHA-256.

    labels: fixture id and version, queries, judgments, policy labels, metric version. system: corpus, settings,
    ablations, providers, tokenizer, alias table. The others name which part of the system moved.
    """

    labels: str
    system: str
    corpus: str
    settings: str
    ablations: str
    providers: str
    tokenizer: str
    aliases: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What was evaluated: `evaluation` covers labels and system; `queries` has one label hash per query."""

    evaluation: str
    components: Components
    queries: tuple[tuple[QueryId, str], ...]
