"""The plan: where the names of a configuration meet the tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

from retrieval_gate.base.config import AblationSpec, AliasTable, Channel, Config, EngineSettings
from retrieval_gate.base.errors import ConfigError, NothingComparableError
from retrieval_gate.base.fixture import Fixture
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.names import nearest
from retrieval_gate.engine.text import SCRIPTS
from retrieval_gate.retrievers.table import check_names, check_retriever, is_shared
from retrieval_gate.scoring.metrics.table import Metric, parse_metric
from retrieval_gate.scoring.slices import Slice, slices_of

ALIAS_CHANNEL = "regression-alias-vector"
HASH_CHANNEL = "token-hash-vector"
# A retriever is asked for at least this many hits, so that contexts of the first ten can be judged.
LEAST_HITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What will be run and scored. `k` is how many hits each question asks for.

    `left_out` names the ablations that need an alias table where there is none; `substituted` those that use
    token-hash vectors in its place.
    """

    fixture: Fixture
    ablations: tuple[AblationSpec, ...]
    metrics: tuple[Metric, ...]
    slices: tuple[Slice, ...]
    engine: EngineSettings
    aliases: AliasTable | None
    k: int
    left_out: tuple[AblationId, ...]
    substituted: tuple[AblationId, ...]

    @property
    def one_by_one(self) -> bool:
        """Whether the runs and the scenarios must wait for each other: they reach one and the same state."""
        return any(map(is_shared, self.ablations))


def make_plan(fixture: Fixture, config: Config, *, only: tuple[str, ...] = ()) -> Plan:
    """Bind `config` to the tables; `only` keeps the named ablations, all where it is empty.

    Of an ablation that is not kept only the names are checked: what else it needs may not be here.
    Raises ConfigError for a name that no table has, NothingComparableError where nothing is left to run.
    """
    metrics = tuple(parse_metric(metric) for metric in config.metrics)
    for spec in config.ablations:
        check_names(spec)
    _check_scripts(config.engine)
    chosen = _chosen(config.ablations, only)
    for spec in chosen:
        check_retriever(spec)
    runnable = [spec for spec in chosen if config.aliases or not _needs_aliases(spec)]
    ablations = tuple(spec if config.aliases else _without_aliases(spec) for spec in runnable)
    if not ablations or not fixture.queries:
        raise NothingComparableError(
            "nothing-to-run",
            "no ablation and query is left to run",
            fix="widen --ablations, or add an alias table",
        )
    return Plan(
        fixture=fixture,
        ablations=ablations,
        metrics=metrics,
        slices=slices_of(fixture),
        engine=config.engine,
        aliases=config.aliases,
        k=max([LEAST_HITS, *(metric.k for metric in metrics if metric.k is not None)]),
        left_out=tuple(spec.id for spec in chosen if spec not in runnable),
        substituted=tuple(new.id for new, old in zip(ablations, runnable, strict=True) if new != old),
    )


def _check_scripts(engine: EngineSettings) -> None:
    """A threshold that no text is held against is refused here, before a worker meets it."""
    for threshold in engine.thresholds:
        if threshold.script not in SCRIPTS:
            raise ConfigError(
                "unknown-script",
                f"engine.thresholds names a script that is not known: {threshold.script}",
                fix=f"use {nearest(threshold.script, SCRIPTS) or ', '.join(SCRIPTS)}",
            )


def _chosen(specs: tuple[AblationSpec, ...], only: tuple[str, ...]) -> tuple[AblationSpec, ...]:
    known = [spec.id for spec in specs]
    for name in only:
        if name not in known:
            hint = nearest(name, known)
            raise ConfigError(
                "unknown-ablation",
                f"there is no ablation of this name{f'; the nearest is {hint}' if hint else ''}",
                fix=f"choose from {', '.join(known)}",
            )
    return tuple(spec for spec in specs if not only or spec.id in only)


def _needs_aliases(spec: AblationSpec) -> bool:
    """Whether token-hash vectors can not stand in: the alias channel is alone, or they are there already."""
    names = [channel.name for channel in spec.channels]
    return names == [ALIAS_CHANNEL] or (ALIAS_CHANNEL in names and HASH_CHANNEL in names)


def _without_aliases(spec: AblationSpec) -> AblationSpec:
    """The same ablation with token-hash vectors in the alias channel's place."""
    swapped = (
        Channel(name=HASH_CHANNEL, weight=channel.weight) if channel.name == ALIAS_CHANNEL else channel
        for channel in spec.channels
    )
    return replace(spec, channels=tuple(swapped))
