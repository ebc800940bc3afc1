"""What scenarios find, and what each checks: the words for a reader, worst first."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of one kind of verdict, see `kind.Kind`.

    Of a row of `CHECKS`, `failures` are the kinds that it finds, and `fixture` what is to be done where not the
    retriever but the fixture is why nothing could be checked.
    """

    id: str
    title: str
    explanation: str
    action: str
    failures: tuple[str, ...] = ()
    fixture: str = ""


LATE = "late-version"
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
        explanation="The retriever logged the id of a chunk or document that the asking principal may not see.",
        action="log what is left after access was decided, and no more",
    ),
    Words(
        id="unknown-principal",
        title="an unknown principal was served",
        explanation="One who is not listed, or claims another tenant or more than listed, was served something.",
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
        id=LATE,
        title="version served too late",
        explanation=(
            "A version was served after its successor was current, its end had come or it was revoked. The "
            "version that supersedes the first one named is said, where there is one."
        ),
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
        explanation="A version that is ready and due was not served for its own text.",
        action="verify the active index and the dates of its versions; compare instants, not local times",
    ),
    Words(
        id="over-restriction",
        title="over-restriction",
        explanation="A judged chunk that the principal may see is not served for its own text, nor its question.",
        action="inspect the access filter: it keeps back what its policy allows",
    ),
    Words(
        id="cache-mixed",
        title="an answer changed by another's question",
        explanation="The same question was asked twice; another, or one for fewer hits, in between changed it.",
        action="put everything that decides an answer into the key of every cache",
    ),
)

# What each scenario's checks are, for a pass or for what could not be checked.
CHECKS: tuple[Words, ...] = (
    Words(
        id="non-interference",
        title="non-interference",
        explanation=(
            "Documents that a principal may not see, full of its questions' own words, are added, changed and "
            "removed: under another tenant, one of a name like its own, or an attribute that it lacks. Its "
            "answers stay the same to the last byte."
        ),
        action="have the retriever offer seed, update, delete and revoke, and know principals",
        fixture="name principals in the fixture, and give its documents an access",
        failures=("interference", "probe-leak"),
    ),
    Words(
        id="cache-probe",
        title="cache probe",
        explanation=(
            "One principal asks, then another who may not see what the first got, then the first again, and once "
            "more after that was revoked; and a question that was asked for one hit first gets all of them."
        ),
        action="have the retriever offer seed, update, delete and revoke, and know principals",
        fixture="ask something that one principal is to get and another may not see",
        failures=("cache-leak", "cache-mixed", "revoked-served", "probe-leak"),
    ),
    Words(
        id="lifecycle",
        title="lifecycle of versions",
        explanation=(
            "Before, at and after each instant at which a version begins, ends or is revoked, in other time "
            "zones, just the current one is served. Where documents can be changed: a version waits until ready "
            "and due, the old one leaves at that instant, conflicts are not served, revocation and deletion leave "
            "nothing."
        ),
        action="have the retriever take asOf",
        fixture="give documents their dates, and ask something that is not held out",
        failures=(
            "early-version",
            "late-version",
            "conflict-served",
            "missing-version",
            "ghost-row",
            "probe-leak",
        ),
    ),
    Words(
        id="positive-controls",
        title="positive controls",
        explanation=(
            "Every pair of a principal, the public too, and a judged chunk that it may see is a check: the chunk "
            "is served for its own text or for a question that judges it. What only a stage shows is not served."
        ),
        action="have the retriever know principals",
        fixture="name principals in the fixture, and give its documents an access",
        failures=("over-restriction", "probe-leak"),
    ),
    Words(
        id="fail-closed",
        title="unknown principals",
        explanation=(
            "A principal that is not listed, or claims another tenant or one attribute more than is listed for "
            "it, is served nothing, not even what is public, for questions that are answered to others."
        ),
        action="have the retriever keep a directory of those who may ask",
        fixture="name principals in the fixture, and ask something that one of them is to get",
        failures=("unknown-principal", "probe-leak"),
    ),
    Words(
        id="log-output",
        title="log output",
        explanation=(
            "What the retriever writes while it answers names no chunk that the asking principal may not see, and "
            "no document, unless its id is a plain word. What it writes while documents change is no one's answer."
        ),
        action="have the retriever know principals",
        fixture="name principals in the fixture, and give its documents an access",
        failures=("log-leak",),
    ),
    Words(
        id="scenarios",
        title="scenarios",
        explanation="The fixture has no principals, policies or times: there is nothing for a scenario to check.",
        action="name principals in the fixture, and give its documents an access and dates",
    ),
)
