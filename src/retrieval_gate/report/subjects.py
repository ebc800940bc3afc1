"""Words that a reader would look up, and that no single row of a table answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One thing that a report can name. `facts` are short label and value pairs; `names` are other ways to ask."""

    id: str
    text: str
    facts: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()


SUBJECTS = (
    Topic(
        id="permission",
        names=("permissions", "access"),
        text=(
            "Who may see what is said by each document's access and by each query's forbidden chunks; a query "
            "without principal sees public documents only. What must not be seen is looked for in hits, "
            "context, citations, stages, the cache and the log."
        ),
        facts=(
            ("findings", "permission-leak, probe-leak, interference, cache-leak, log-leak, unknown-principal"),
            ("the other direction", "over-restriction"),
        ),
    ),
    Topic(
        id="freshness",
        names=("versions", "time"),
        text=(
            "Of the documents with one source that are ready, not revoked and within their dates at the query's "
            "asOf, the one that began last is current; of those that began together none is served, and the "
            "fixture must declare them in conflicts. There is no clock."
        ),
        facts=(
            ("findings", "stale-evidence, early-version, late-version, conflict-served, ghost-row"),
            ("after a revocation", "revoked-served"),
            ("note", "declared-conflict"),
        ),
    ),
    Topic(
        id="held-out",
        names=("heldout", "split=heldout"),
        text=(
            "Queries with the split heldout, in the fixture or in a file of their own, are reported as a sum "
            "only. Gates, floors and comparisons are of development queries, unless a gate names the slice "
            "split=heldout; leaks, stale evidence and wrong states are held to zero in both."
        ),
        facts=(
            ("the file", "--held-out FILE, or heldout in the configuration: a JSON object with queries"),
            ("their ids", "--reveal-held-out"),
        ),
    ),
    Topic(
        id="sweep",
        names=("--sweep", "thresholds", "engine.thresholds"),
        text=(
            "`run --sweep` prints, for each script and ablation, how many development queries any other "
            "evidence threshold would withhold or answer without support. A diagnostic: it judges nothing."
        ),
        facts=(("the setting", "[engine.thresholds] in the configuration, a value from 0 to 1 for each script"),),
    ),
    Topic(
        id="waiver",
        text=(
            "A waiver in the configuration accepts the wrong answer state of one query until the end of a date, "
            "with a reason for reviewers. Nothing else can be waived."
        ),
        facts=(
            ("the table", "[[waivers]] with query, reason and expires"),
            ("the date of the run", "--today YYYY-MM-DD; without it every waiver holds"),
            ("notes", "waived, waiver-expired, waiver-unknown"),
        ),
    ),
)
