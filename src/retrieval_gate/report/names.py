"""Every name that a report may say: the ids of this evaluation, and the words that no enum has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval_gate.base.config import Config
from retrieval_gate.engine.channels import CHANNELS
from retrieval_gate.scoring.lost_where import CANDIDATES, UNATTRIBUTED
from retrieval_gate.verdict.accepted import Baseline

if TYPE_CHECKING:  # what shows a report does not need the engine that a plan imports
    from retrieval_gate.evaluation.plan import Plan

# Where something can be lost: the stages of design §2, and the channels of the embedded engine.
STAGES = (
    CANDIDATES,
    *(f"{CANDIDATES}:{channel.name}" for channel in CHANNELS),
    "access",
    "fusion",
    "rerank",
    "cut-off",
    "abstention",
    "context",
    UNATTRIBUTED,
)
# What a retriever can fail with; a test compares them with the errors that the code raises.
FAILURE_CODES = (
    "no-answer-given",
    "wrong-id",
    "too-many-answers",
    "process-died",
    # what the contract's answers are held to
    "invalid-utf8",
    "not-json",
    "wrong-version",
    "answered-twice",
    "out-of-order",
    "retriever-error",
    "bad-answer",
    "bad-hello",
    "too-many-hits",
    "scores-against-order",
    "unknown-id",
    "change-refused",
    # what a process is held to, and a tool of an MCP server
    "not-started",
    "timeout",
    "total-timeout",
    "answer-too-large",
    "partial-line",
    "unsolicited-answer",
    "mcp-version",
    "mcp-protocol",
    "mcp-error",
    "mcp-no-tool",
    "mcp-arguments",
    "mcp-tool-error",
    "mcp-content",
    # what a server is held to
    "unreachable",
    "tls-untrusted",
    "tls-failed",
    "connection-lost",
    "not-http",
    "http-status",
    "redirected",
    "answer-cut",
    "compressed-answer",
    "secret-echoed",
    "incomplete-answer",
    "no-document-id",
    # what Python code is held to
    "not-importable",
    "module-collision",
    "not-a-retriever",
    "unknown-parameter",
    "retriever-raised",
    "retriever-exited",
    "unknown-shape",
    # what a recording is held to
    "bad-recording",
    "not-recorded",
    "stale-recording",
    "index-exists",
    "index-unwritable",
    "duplicate-id",
    "index-missing",
    "index-unreadable",
    "index-schema",
    "index-incomplete",
    "index-foreign",
    "index-unusable",
    "content-hash",
    "no-such-document",
)


def plan_names(plan: Plan) -> frozenset[str]:
    """The ids of fixture and plan: names that a user gave in the id alphabet, which may be said."""
    fixture = plan.fixture
    return frozenset(
        {
            fixture.id,
            *(document.id for document in fixture.documents),
            *(chunk.id for document in fixture.documents for chunk in document.chunks),
            *(query.id for query in fixture.queries),
            *(principal.id for principal in fixture.principals),
            *(spec.id for spec in plan.ablations),
            *plan.left_out,
            *(metric.id for metric in plan.metrics),
            *(part.id for part in plan.slices),
        }
    )


def config_names(config: Config) -> frozenset[str]:
    """The ids that a configuration names: a gate that was not measured is named by nothing else, nor is a query
    that a waiver names and the fixture does not hold."""
    return frozenset(
        {
            *(spec.id for spec in config.ablations),
            *(gate.ablation for gate in config.gates),
            *(gate.reference for gate in config.gates if gate.reference is not None),
            *(gate.metric for gate in config.gates),
            *(gate.slice for gate in config.gates),
            *(waiver.query for waiver in config.waivers),
        }
    )


def baseline_names(baseline: Baseline) -> frozenset[str]:
    """The ids of the committed baseline: a removed query or judgment is named by nothing else."""
    return frozenset(
        {
            *(query.id for query in baseline.queries),
            *(unit.unit for record in baseline.records for unit in record.judged),
            *baseline.ablations,
            *baseline.metrics,
            *baseline.slices,
        }
    )
