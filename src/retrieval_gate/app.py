"""The line, composed: files in, report and candidate baseline out. I/O stands here, at its two ends."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from retrieval_gate.base.errors import (
    BaselineError,
    FixtureError,
    NotDeterministicError,
    RetrieverError,
    UsageError,
)
from retrieval_gate.base.files import guard_output, read_bounded, write_atomically
from retrieval_gate.base.fixture import Fixture
from retrieval_gate.base.ids import QueryId, UnitId
from retrieval_gate.base.places import Place, Problem
from retrieval_gate.base.transport import stderr_file
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.evaluation.evaluate import Progress, evaluate, silent
from retrieval_gate.evaluation.plan import make_plan
from retrieval_gate.inputs.fixture import FIXTURE_BYTE_LIMIT, HeldOutFile, LoadedFixture, load_fixture
from retrieval_gate.inputs.formats.json import locate
from retrieval_gate.report.build import build, summarise_baseline
from retrieval_gate.report.environment import read_environment
from retrieval_gate.report.outputs.table import Style, output
from retrieval_gate.report.places import baseline_places, failing_queries, failing_units
from retrieval_gate.report.report import Invocation, Report, ValueKey, check_label, red_differences
from retrieval_gate.scenarios.children import Children
from retrieval_gate.settle import Options, Settled, chosen, same_file, settle
from retrieval_gate.verdict.baseline import Baseline, candidate, is_baseline, read_baseline, render_baseline
from retrieval_gate.verdict.case import make_case
from retrieval_gate.verdict.comparison import compare
from retrieval_gate.verdict.gates.binding import check_gates
from retrieval_gate.verdict.judge import judge, unacceptable
from retrieval_gate.verdict.loosening import names
from retrieval_gate.verdict.reason import check_reason

# A baseline holds a line per ablation and query: ten times the largest fixture is far beyond any real one.
BASELINE_BYTE_LIMIT = 1 << 29

# What a place is of: a query, or a chunk or document.
Named = TypeVar("Named", QueryId, UnitId)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A judged run. `candidate` is the baseline that this run would make; `warnings` are the fixture's.

    `replaced` says what was wrong with a committed baseline that `accept` could not read. `written` are the files
    that were left, relative to the working folder, the candidate baseline last.
    """

    report: Report
    candidate: Baseline
    baseline_path: str
    warnings: tuple[Problem, ...]
    replaced: BaselineError | None = None
    written: tuple[str, ...] = ()


def run(
    options: Options, workspace: Path, progress: Progress = silent, children: Children | None = None
) -> Outcome:
    """Evaluate, judge, and write the reports that were asked for.

    `children` are given by a caller who has started them already; they are stopped here. Raises GateError where
    the run can not be judged. Whether the reports can be written is checked first. The committed baseline is
    never written.
    """
    if options.label is not None:
        check_label(options.label)
    settled = settle(options, workspace)
    paths = _report_paths(options, settled, workspace)
    refuse_stderr(options, settled, paths, workspace)
    with children or Children() as running:
        outcome = _evaluate(options, settled, running, progress)
    for file in options.reports:
        write_atomically(
            workspace, file.path, output(file.form).render(outcome.report, Style(prefix=options.prefix))
        )
    if paths:
        write_atomically(workspace, paths[-1], render_baseline(outcome.candidate))
    return replace(outcome, written=paths)


def accept(
    options: Options,
    reason: str,
    workspace: Path,
    progress: Progress = silent,
    children: Children | None = None,
) -> Outcome:
    """Evaluate and write what was measured as the committed baseline, with the reason; `children` as for `run`.

    A committed baseline that no single run has written, as after a merge, is replaced and told of in the outcome.
    Raises GateError where the run can not stand as one: a part of it was left out, a retriever failed, the two
    runs differ, or a failure stands that no baseline may accept, such as a leak.
    """
    if options.ablations or not options.abstention:
        raise UsageError(
            "partial-baseline",
            "a baseline holds every configured ablation, as it is configured",
            fix="leave out --ablations and --no-abstention; set the ablations in retrieval-gate.toml",
        )
    reason = check_reason(reason)
    settled = settle(options, workspace)
    refuse_input(guard_output(workspace, settled.baseline), settled.sources, workspace)
    refuse_stderr(options, settled, (), workspace)
    lenient = replace(options, allow_missing_baseline=True)
    with children or Children() as running:
        outcome = _evaluate(lenient, settled, running, progress, reason)
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
            f"the two runs differ, first for {_query_name(refused[0].query)} under {refused[0].ablation}",
            fix="give the retriever a total order; `retrieval-gate run` shows every difference",
        )
    leaks = unacceptable(report.verdicts)
    if leaks:
        raise BaselineError(
            "unacceptable",
            f"{len(leaks)} failures that no baseline may accept, first {leaks[0].kind} "
            f"for {_query_name(leaks[0].query)}",
            fix="repair them; a leak or stale evidence is never accepted",
        )


def _query_name(query: QueryId | None) -> str:
    return "held-out queries" if query is None else f"query {query}"


def _report_paths(options: Options, settled: Settled, workspace: Path) -> tuple[str, ...]:
    """Where the reports and, last, the candidate baseline go; refused before anything is evaluated."""
    if not options.reports:
        return ()
    first = options.reports[0]
    stem = first.path.removesuffix(output(first.form).extension)
    paths = (*(file.path for file in options.reports), f"{stem}.baseline.jsonl")
    inputs = (*settled.sources, ("committed baseline", settled.baseline), *_base_source(options))
    for path in paths:
        refuse_input(guard_output(workspace, path), inputs, workspace)
    return paths


def _base_source(options: Options) -> tuple[tuple[str, str], ...]:
    return (("base branch's baseline", options.base_baseline),) if options.base_baseline is not None else ()


def refuse_input(output: Path, inputs: tuple[tuple[str, str], ...], workspace: Path) -> None:
    """Raises UsageError where an output would replace one of `inputs`, each given by what it is and its path."""
    for name, path in inputs:
        if same_file(output, workspace / path):
            raise UsageError(
                "output-over-input",
                f"an output, or the candidate beside it, would replace the {name}",
                fix="give another name, e.g. --report report/report.json",
            )


def refuse_stderr(options: Options, settled: Settled, outputs: tuple[str, ...], workspace: Path) -> None:
    """Raises UsageError where what a chosen ablation's process says on stderr would be added to another file.

    `outputs` are the files that will be written. Each run adds to that file, so that a fixture would be none.
    """
    named = (*settled.sources, ("committed baseline", settled.baseline), *_base_source(options))
    others = (*named, *(("output", path) for path in outputs))
    for spec in chosen(options, settled):
        log = stderr_file(spec.transport)
        for name, path in others:
            if log is not None and same_file(workspace / log, workspace / path):
                raise UsageError(
                    "output-over-input",
                    f"what ablation {spec.id} writes to stderr would be added to the {name}",
                    fix="give its stderr a file of its own, e.g. logs/retriever.log",
                )


def _evaluate(
    options: Options,
    settled: Settled,
    children: Children,
    progress: Progress,
    reason: str | None = None,
) -> Outcome:
    """`reason` is given where this run is to become the baseline: then a torn one is replaced, not refused."""
    data = read_bounded(settled.fixture, limit=FIXTURE_BYTE_LIMIT, error=FixtureError)
    children.scenarios.expect(data)
    held_out = read_held_out(settled.held_out)
    loaded = load_fixture(data, file=settled.fixture, held_out=held_out)
    plan = make_plan(loaded.fixture, settled.config, only=options.ablations)
    check_gates(settled.config)
    children.workers.begin(plan)
    children.scenarios.begin(plan)
    # The baselines are read while the workers work.
    committed, unreadable = _replaceable(settled.baseline) if reason else (_committed(settled.baseline), None)
    base = _base(options)
    measured = evaluate(plan, children.workers, progress)
    # What the runs gave is compared while the scenarios may still be at work.
    comparison = compare(plan, measured, committed) if committed is not None else None
    evaluation = children.scenarios.added_to(measured)
    case = make_case(
        plan,
        settled.config,
        evaluation,
        comparison,
        today=options.today,
        base=base,
        approve=options.approve_loosening,
        reveal=options.reveal_held_out,
    )
    verdicts = judge(case)
    environment = read_environment()
    removed, values = _baseline_places(settled.baseline, committed, verdicts)
    report = build(
        plan=plan,
        config=settled.config,
        evaluation=evaluation,
        verdicts=verdicts,
        environment=environment,
        baseline=summarise_baseline(comparison, case.approval, names(case.loosenings)),
        allow_missing_baseline=options.allow_missing_baseline,
        fail_on=options.fail_on,
        label=options.label,
        invocation=_invocation(options, settled),
        places=(*_places(data, settled.fixture, loaded, held_out, failing_queries(verdicts)), *removed),
        value_places=values,
        unit_places=_unit_places(data, settled.fixture, loaded.fixture, failing_units(verdicts)),
        reveal=options.reveal_held_out,
    )
    made = candidate(plan, evaluation, settled.config, reason=reason, environment=environment.versions)
    return Outcome(
        report=report,
        candidate=_unmoved(made, committed),
        baseline_path=settled.baseline,
        warnings=loaded.warnings,
        replaced=unreadable,
    )


def _invocation(options: Options, settled: Settled) -> Invocation:
    return Invocation(
        fixture=options.fixture,
        held_out=options.held_out,
        config=options.config,
        baseline=options.baseline,
        ablations=options.ablations,
        base_baseline=options.base_baseline,
        abstention=options.abstention,
        today=options.today,
        reveal_held_out=options.reveal_held_out,
        set_aside=settled.set_aside,
    )


def _unmoved(made: Baseline, committed: Baseline | None) -> Baseline:
    """The committed baseline itself where nothing moved but notes, so that its file stays the same bytes."""
    if committed is None or made.reason is not None:
        return made
    same = replace(made, reason=committed.reason, environment=committed.environment) == committed
    return committed if same else made


def _committed(path: str) -> Baseline | None:
    """The committed baseline; None where there is no such file."""
    # A link to nowhere is a baseline too: reading it tells what is wrong.
    if not os.path.lexists(path):
        return None
    return read_baseline(read_bounded(path, limit=BASELINE_BYTE_LIMIT, error=BaselineError), file=path)


def _baseline_places(
    path: str, committed: Baseline | None, verdicts: tuple[Verdict, ...]
) -> tuple[tuple[tuple[QueryId, Place], ...], tuple[tuple[ValueKey, Place], ...]]:
    """Where the baseline's file holds removed queries and fallen values; read only where something failed."""
    if committed is None or not any(verdict.status is Status.FAILED for verdict in verdicts):
        return (), ()
    return baseline_places(read_bounded(path, limit=BASELINE_BYTE_LIMIT, error=BaselineError), path, verdicts)


def _base(options: Options) -> Baseline | None:
    """The base branch's baseline, where one is named: then it must be there."""
    path = options.base_baseline
    if path is None:
        return None
    try:
        return read_baseline(read_bounded(path, limit=BASELINE_BYTE_LIMIT, error=BaselineError), file=path)
    except BaselineError as failure:
        raise BaselineError(
            failure.code,
            f"the base branch's baseline: {failure.what}",
            fix="check out the base branch's file; where that branch has none yet, leave --base-baseline out",
            where=failure.where,
        ) from failure


def _replaceable(path: str) -> tuple[Baseline | None, BaselineError | None]:
    """The committed baseline, or what is wrong with one that may be replaced: torn, but still a baseline."""
    try:
        return _committed(path), None
    except BaselineError as unreadable:
        if not is_baseline(read_bounded(path, limit=BASELINE_BYTE_LIMIT, error=BaselineError)):
            raise
        return None, unreadable


def read_held_out(path: str | None) -> HeldOutFile | None:
    """The file of held-out queries; None where none is named."""
    if path is None:
        return None
    return HeldOutFile(data=read_bounded(path, limit=FIXTURE_BYTE_LIMIT, error=FixtureError), file=path)


def _places(
    data: bytes, file: str, loaded: LoadedFixture, held_out: HeldOutFile | None, queries: tuple[QueryId, ...]
) -> tuple[tuple[QueryId, Place], ...]:
    """Where each named query stands in its file; the bytes are scanned only when there is one."""
    index = {query.id: number for number, query in enumerate(loaded.fixture.queries)}
    places = {query: index[query] for query in queries if query in index}
    own = {query: place for query, place in places.items() if place < loaded.own_queries}
    apart = {query: place - loaded.own_queries for query, place in places.items() if query not in own}
    there = () if held_out is None else _located(held_out.data, held_out.file, apart)
    return (*_located(data, file, own), *there)


def _unit_places(
    data: bytes, file: str, fixture: Fixture, units: tuple[UnitId, ...]
) -> tuple[tuple[UnitId, Place], ...]:
    """Where each named chunk or document stands in the fixture; what a scenario has added stands nowhere."""
    pointers: dict[UnitId, str] = {}
    for number, document in enumerate(fixture.documents if units else ()):
        pointers[UnitId(document.id)] = f"/documents/{number}"
        for place, chunk in enumerate(document.chunks):
            pointers[UnitId(chunk.id)] = f"/documents/{number}/chunks/{place}"
    return _at(data, file, {unit: pointers[unit] for unit in units if unit in pointers})


def _located(data: bytes, file: str, queries: dict[QueryId, int]) -> tuple[tuple[QueryId, Place], ...]:
    """The place of each query, given by its index in the file."""
    return _at(data, file, {query: f"/queries/{index}" for query, index in queries.items()})


def _at(data: bytes, file: str, pointers: dict[Named, str]) -> tuple[tuple[Named, Place], ...]:
    """The place of each name; the bytes are scanned only when there is one."""
    lines = locate(data, list(pointers.values())) if pointers else {}
    return tuple(
        (name, Place(file=file, line=lines.get(pointer), pointer=pointer)) for name, pointer in pointers.items()
    )
