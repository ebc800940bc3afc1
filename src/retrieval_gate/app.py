"""The line, composed: files in, report and candidate baseline out. I/O stands here, at its two ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from retrieval_gate.base.config import Config
from retrieval_gate.base.errors import (
    BaselineError,
    ConfigError,
    FixtureError,
    NotDeterministicError,
    RetrieverError,
    UsageError,
)
from retrieval_gate.base.files import guard_output, read_bounded, write_atomically
from retrieval_gate.base.fixture import Fixture
from retrieval_gate.base.ids import QueryId
from retrieval_gate.base.places import Place, Problem
from retrieval_gate.evaluation.evaluate import Progress, evaluate, silent
from retrieval_gate.evaluation.pair import WorkerPair
from retrieval_gate.evaluation.plan import make_plan
from retrieval_gate.inputs.config import CONFIG_BYTE_LIMIT, default_config, find_config, load_config
from retrieval_gate.inputs.fixture import FIXTURE_BYTE_LIMIT, load_fixture
from retrieval_gate.inputs.formats.json import locate
from retrieval_gate.report.build import build, failing_queries, summarise_baseline
from retrieval_gate.report.environment import read_environment
from retrieval_gate.report.outputs.table import render_json
from retrieval_gate.report.report import Invocation, Report, red_differences
from retrieval_gate.verdict.baseline import Baseline, candidate, read_baseline, render_baseline
from retrieval_gate.verdict.case import make_case
from retrieval_gate.verdict.comparison import compare
from retrieval_gate.verdict.gates.binding import check_gates
from retrieval_gate.verdict.judge import judge, unacceptable

# A baseline holds a line per ablation and query: ten times the largest fixture is far beyond any real one.
BASELINE_BYTE_LIMIT = 1 << 29


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a caller asked for; None means the configuration's or the default."""

    config: str | None = None
    fixture: str | None = None
    baseline: str | None = None
    ablations: tuple[str, ...] = ()
    abstention: bool = True
    allow_missing_baseline: bool = False
    report: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The inputs after defaults: the configuration, where it and the baseline are, and the fixture's path."""

    config: Config
    config_path: str | None
    fixture: str
    baseline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A judged run. `candidate` is the baseline that this run would make; `warnings` are the fixture's."""

    report: Report
    candidate: Baseline
    baseline_path: str
    warnings: tuple[Problem, ...]


def run(options: Options, workspace: Path, progress: Progress = silent) -> Outcome:
    """Evaluate, judge, and write the report where one was asked for.

    Raises GateError where the run can not be judged. Where a report can be written is checked before the
    evaluation. The committed baseline is never written.
    """
    settled = settle(options, workspace)
    outputs = _report_paths(options, settled, workspace)
    with WorkerPair() as pair:
        outcome = _evaluate(options, settled, pair, progress)
    if outputs is not None:
        report_path, candidate_path = outputs
        write_atomically(workspace, report_path, render_json(outcome.report))
        write_atomically(workspace, candidate_path, render_baseline(outcome.candidate))
    return outcome


def accept(options: Options, reason: str, workspace: Path, progress: Progress = silent) -> Outcome:
    """Evaluate and write what was measured as the committed baseline, with the reason.

    Raises GateError where the run can not stand as one: a part of it was left out, a retriever failed, the two
    runs differ, or a failure stands that no baseline may accept, such as a leak.
    """
    if options.ablations or not options.abstention:
        raise UsageError(
            "partial-baseline",
            "a baseline holds every configured ablation, as it is configured",
            fix="leave out --ablations and --no-abstention; set the ablations in retrieval-gate.toml",
        )
    settled = settle(options, workspace)
    guard_output(workspace, settled.baseline)
    with WorkerPair() as pair:
        outcome = _evaluate(replace(options, allow_missing_baseline=True), settled, pair, progress, reason)
    _check_acceptable(outcome.report)
    write_atomically(workspace, settled.baseline, render_baseline(outcome.candidate))
    return outcome


def _check_acceptable(report: Report) -> None:
    if report.failures:
        failure = report.failures[0]
        raise RetrieverError(
            failure.code, f"run {failure.run} is incomplete: {failure.detail}", fix="repair the retriever first"
        )
    refused = red_differences(report)
    if refused:
        raise NotDeterministicError(
            "not-deterministic",
            f"the two runs differ, first for query {refused[0].query} under {refused[0].ablation}",
            fix="give the retriever a total order; `retrieval-gate run` shows every difference",
        )
    leaks = unacceptable(report.verdicts)
    if leaks:
        raise BaselineError(
            "unacceptable",
            f"{len(leaks)} failures that no baseline may accept, first {leaks[0].kind} for query {leaks[0].query}",
            fix="repair them; a leak or stale evidence is never accepted",
        )


def settle(options: Options, workspace: Path) -> Settled:
    """Read the configuration and fill in the defaults.

    A fixture named by the caller in the configured one's place leaves the configuration's baseline and alias
    table aside: both are written for one fixture.
    """
    path = options.config or find_config(workspace)
    config = (
        load_config(read_bounded(path, limit=CONFIG_BYTE_LIMIT, error=ConfigError), file=path) if path else None
    )
    config = config or default_config()
    fixture = options.fixture or config.fixture
    if fixture is None:
        raise UsageError(
            "no-fixture", "no fixture is named", fix="give --fixture FILE, or set fixture in retrieval-gate.toml"
        )
    if options.fixture is not None and options.fixture != config.fixture:
        config = replace(config, baseline=None, aliases=None)
    if not options.abstention:
        config = replace(config, engine=replace(config.engine, abstention=False))
    baseline = options.baseline or config.baseline or f"{fixture.removesuffix('.json')}.baseline.jsonl"
    return Settled(config=config, config_path=path, fixture=fixture, baseline=baseline)


def _report_paths(options: Options, settled: Settled, workspace: Path) -> tuple[str, str] | None:
    """Where the report and the candidate baseline go; refused before anything is evaluated."""
    if options.report is None:
        return None
    candidate_path = f"{options.report.removesuffix('.json')}.baseline.jsonl"
    committed = (workspace / settled.baseline).resolve()
    for path in (options.report, candidate_path):
        if guard_output(workspace, path).resolve() == committed:
            raise UsageError(
                "report-over-baseline",
                "the report, or the candidate beside it, would replace the committed baseline",
                fix="give --report another name, e.g. report/report.json",
            )
    return options.report, candidate_path


def _evaluate(
    options: Options, settled: Settled, pair: WorkerPair, progress: Progress, reason: str | None = None
) -> Outcome:
    data = read_bounded(settled.fixture, limit=FIXTURE_BYTE_LIMIT, error=FixtureError)
    loaded = load_fixture(data, file=settled.fixture)
    plan = make_plan(loaded.fixture, settled.config, only=options.ablations)
    check_gates(settled.config)
    committed = _committed(settled.baseline)
    evaluation = evaluate(plan, pair, progress)
    comparison = compare(plan, evaluation, committed) if committed is not None else None
    verdicts = judge(make_case(plan, settled.config, evaluation, comparison))
    environment = read_environment()
    report = build(
        plan=plan,
        config=settled.config,
        evaluation=evaluation,
        verdicts=verdicts,
        environment=environment,
        baseline=summarise_baseline(comparison),
        allow_missing_baseline=options.allow_missing_baseline,
        label=options.label,
        invocation=Invocation(
            fixture=settled.fixture,
            config=settled.config_path,
            baseline=settled.baseline,
            abstention=options.abstention,
        ),
        places=_places(data, settled.fixture, loaded.fixture, failing_queries(verdicts)),
    )
    made = candidate(plan, evaluation, settled.config, reason=reason, environment=environment.versions)
    return Outcome(
        report=report,
        candidate=_unmoved(made, committed),
        baseline_path=settled.baseline,
        warnings=loaded.warnings,
    )


def _unmoved(made: Baseline, committed: Baseline | None) -> Baseline:
    """The committed baseline itself where nothing moved but notes, so that its file stays the same bytes."""
    if committed is None or made.reason is not None:
        return made
    same = replace(made, reason=committed.reason, environment=committed.environment) == committed
    return committed if same else made


def _committed(path: str) -> Baseline | None:
    """The committed baseline; None where there is no such file."""
    if not Path(path).exists():
        return None
    return read_baseline(read_bounded(path, limit=BASELINE_BYTE_LIMIT, error=BaselineError), file=path)


def _places(
    data: bytes, file: str, fixture: Fixture, queries: tuple[QueryId, ...]
) -> tuple[tuple[QueryId, Place], ...]:
    """Where each named query stands in the fixture file; the bytes are scanned only when there is one."""
    if not queries:
        return ()
    index = {query.id: number for number, query in enumerate(fixture.queries)}
    pointers = {query: f"/queries/{index[query]}" for query in queries if query in index}
    lines = locate(data, list(pointers.values()))
    return tuple(
        (query, Place(file=file, line=lines.get(pointer), pointer=pointer)) for query, pointer in pointers.items()
    )
