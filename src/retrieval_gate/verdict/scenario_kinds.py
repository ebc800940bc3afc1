"""What scenarios find, and what each checks: the words for a reader, worst first."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of one kind of verdict, see `kinds.Kind`."""

    id: str
    title: str
    explanation: str
    action: str


# Every one is a violation that no baseline may accept.
FINDINGS: tuple[Words, ...] = (
    Words(
        id="probe-leak",
        title="permission leak in a probe",
        explanation="A chunk that the principal may not see came out while a scenario asked or changed documents.",
        action="enforce permissions before retrieval, context and logging",
    ),
    Words(
        id="interference",
        title="a hidden document changed an answer",
        explanation="Documents that the principal may not see were added, changed or removed; its answer moved.",
        action="filter by principal before candidates and statistics are made, not after",
    ),
    Words(
        id="cache-leak",
        title="an answer of another principal from the cache",
        explanation="A principal asked what another had asked before, and got what only the other may see.",
        action="put the principal into the key of every cache",
    ),
    Words(
        id="log-leak",
        title="forbidden id in the log",
        explanation="The retriever wrote the id of a chunk that the asking principal may not see to its log.",
        action="log what is left after access was decided, and no more",
    ),
    Words(
        id="unknown-principal",
        title="an unknown principal was served",
        explanation="One who is not listed, or claims another tenant than is listed, was served something.",
        action="refuse whoever is not authenticated; an unknown principal is not the public",
    ),
    Words(
        id="revoked-served",
        title="revoked chunk served",
        explanation="A document was revoked, and the same question still got it.",
        action="invalidate caches on revocation, and deny revoked documents in the application at once",
    ),
    Words(
        id="ghost-row",
        title="rows of a removed document are left",
        explanation="A document was replaced or removed, and answers still show it or are not what they were.",
        action="remove a document from every index, lexical and vector, in one transaction",
    ),
    Words(
        id="early-version",
        title="version served too early",
        explanation="A version was served before its index was ready or before its date had come.",
        action="activate a version only once it is ready and due; compare instants, not local times",
    ),
    Words(
        id="late-version",
        title="version served too late",
        explanation="A version was served after its successor was current, its end had come or it was revoked.",
        action="let the old version leave at the instant at which the new one enters; compare instants",
    ),
    Words(
        id="conflict-served",
        title="one of two conflicting versions served",
        explanation="Two versions of one source begin at the same instant, and one of them was served.",
        action="serve none of them until their owner has decided",
    ),
    Words(
        id="missing-version",
        title="current version not served",
        explanation="A version that is ready and due could not be found by its own text.",
        action="verify the active index and the dates of its versions; compare instants, not local times",
    ),
    Words(
        id="over-restriction",
        title="over-restriction",
        explanation="A judged chunk that the principal may see is not found by its own text, nor by its question.",
        action="inspect the access filter: it keeps back what its policy allows",
    ),
    Words(
        id="cache-mixed",
        title="an answer changed by another's question",
        explanation="A principal asked twice, and another's question in between changed the answer.",
        action="put everything that decides an answer into the key of every cache",
    ),
)

# What each scenario's checks are, for a pass or for what could not be checked.
CHECKS: tuple[Words, ...] = (
    Words(
        id="non-interference",
        title="non-interference",
        explanation="Hidden documents are added, changed and removed; each answer is held against the one before.",
        action="have the retriever offer seed, update, delete and revoke, and know principals",
    ),
    Words(
        id="cache-probe",
        title="cache probe",
        explanation="One principal asks, then another, then the first again after a revocation.",
        action="have the retriever offer seed, update, delete and revoke, and know principals",
    ),
    Words(
        id="lifecycle",
        title="lifecycle of versions",
        explanation="Versions are asked for before, at and after the instants at which they begin and end.",
        action="give documents their dates, and have the retriever take asOf",
    ),
    Words(
        id="positive-controls",
        title="positive controls",
        explanation="Every pair of a principal and a judged chunk that it may see: the chunk can be found.",
        action="have the retriever know principals",
    ),
    Words(
        id="fail-closed",
        title="unknown principals",
        explanation="Principals that are not listed, or claim another tenant, are served nothing.",
        action="have the retriever keep a directory of those who may ask",
    ),
    Words(
        id="log-output",
        title="log output",
        explanation="What the retriever writes to its log names no chunk that the asking principal may not see.",
        action="give documents their access",
    ),
    Words(
        id="scenarios",
        title="scenarios",
        explanation="The fixture has no principals, policies or times: there is nothing for a scenario to check.",
        action="give documents access and dates, and the fixture principals",
    ),
)
