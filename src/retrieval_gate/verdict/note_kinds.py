"""The kinds of verdict that are only worth reading: they block nothing, whatever they say."""

from __future__ import annotations

from retrieval_gate.verdict.kind import Kind

NOTE_KINDS: tuple[Kind, ...] = (
    Kind(
        id="loosening-approved",
        title="loosening approved",
        explanation="What was loosened against the base branch was approved by its hash.",
        action="nothing to do; take the hash out of the settings once this is merged",
        blocking=False,
    ),
    Kind(
        id="approval-stale",
        title="approval of another loosening",
        explanation="The hash in --approve-loosening is not that of what was loosened here: it approves nothing.",
        action="review what was loosened, then give the hash that this report shows",
        blocking=False,
    ),
    Kind(
        id="ablation-not-run",
        title="ablation left out of this run",
        explanation="The command left out an ablation of the configuration that the baseline or a gate holds.",
        action="run it without --ablations before relying on the result",
        blocking=False,
    ),
    Kind(
        id="declared-conflict",
        title="conflicting versions, none served",
        explanation=(
            "Versions of one source that the fixture declares to conflict are current together for who asks a "
            "query, at its time: none of them is served. n counts such queries."
        ),
        action="have the owner of the source decide: end or revoke one version, or give the newer a later date",
        blocking=False,
    ),
    Kind(
        id="waived",
        title="wrong state waived",
        explanation="A wrong answer state is accepted by a waiver in the configuration until its expiry date.",
        action="repair the answer state before the waiver expires",
        blocking=False,
    ),
    Kind(
        id="waiver-expired",
        title="waiver expired",
        explanation="A waiver of the configuration ended before the date that was given. It waives nothing.",
        action="remove the waiver, or have a new date reviewed",
        blocking=False,
    ),
    Kind(
        id="waiver-unknown",
        title="waiver of a query that is not there",
        explanation="A waiver names a query that the fixture does not have. It waives nothing.",
        action="correct the waiver's query, or remove the waiver; held-out queries come with --held-out",
        blocking=False,
    ),
    Kind(
        id="waiver-dates",
        title="dates of waivers",
        explanation="Whether the waivers of the configuration still hold on the date of the run.",
        action="give the date of the run: --today YYYY-MM-DD; until then every waiver holds",
        blocking=False,
    ),
    Kind(
        id="same-version",
        title="corpus changed under the same version",
        explanation="The corpus differs from the baseline's while fixture id and version are the same.",
        action="raise the fixture's version",
        blocking=False,
    ),
    Kind(
        id="fixture-changed",
        title="fixture version changed",
        explanation="The fixture's id or version differs from the baseline's.",
        action="accept the new baseline once the gate is green",
        blocking=False,
    ),
    Kind(
        id="system-changed",
        title="system changed",
        explanation="A part of the evaluated system differs from the baseline's. It is judged in full.",
        action="nothing to do; accept the new baseline once the gate is green",
        blocking=False,
    ),
    Kind(
        id="bounds-changed",
        title="bounds changed",
        explanation="The bounds in the configuration are not those that the baseline was accepted under.",
        action="have the change of bounds reviewed, then accept the new baseline",
        blocking=False,
    ),
    Kind(
        id="query-added",
        title="query added",
        explanation="A query is new: held to absolute gates, not yet to the baseline.",
        action="accept the new baseline to protect it",
        blocking=False,
    ),
    Kind(
        id="ablation-added",
        title="ablation added",
        explanation="An ablation is new: held to absolute gates, not yet to the baseline.",
        action="accept the new baseline to protect it",
        blocking=False,
    ),
    Kind(
        id="improved",
        title="improved",
        explanation="A value is better than in the baseline, and nothing protects the gain yet.",
        action="accept the new baseline to protect it",
        blocking=False,
    ),
    Kind(
        id="query-improved",
        title="query improved",
        explanation="A value of one query is better than in the baseline and none is worse.",
        action="accept the new baseline to protect it",
        blocking=False,
    ),
    Kind(
        id="query-changed",
        title="query changed, not worse",
        explanation="What is remembered of a query differs from the baseline, and no value of it moved.",
        action="nothing to do",
        blocking=False,
    ),
    Kind(
        id="unjudged-moved",
        title="unjudged hits moved",
        explanation="The ranking differs from the baseline in unjudged hits only.",
        action="nothing to do; judge the hits that matter",
        blocking=False,
    ),
)
