"""One step of a workflow: inputs in, the line run, and what a reviewer sees out."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from retrieval_gate.app import Outcome, run
from retrieval_gate.base.canonical import short_digest
from retrieval_gate.base.errors import GateError, InputError, UsageError
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.places import Problem
from retrieval_gate.base.verdict import Status
from retrieval_gate.cli.action.inputs import Inputs, read_inputs
from retrieval_gate.cli.action.runner import (
    give_to_owner,
    summary_budget,
    warning,
    write_outputs,
    write_summary,
)
from retrieval_gate.cli.console import prepare_streams, say, say_plainly
from retrieval_gate.report.outputs.annotations import annotate, error_annotations
from retrieval_gate.report.outputs.summary import error_summary, summary
from retrieval_gate.report.outputs.table import Style, output
from retrieval_gate.report.report import Report, exit_code, with_status
from retrieval_gate.settle import Options, ReportFile
from retrieval_gate.verdict.kinds import kind_of

FILE_STEM = "retrieval-gate"
# Kinds that say that something fell below what was committed, as the output `regressions` counts them.
_REGRESSIONS = (
    "relevant-left-cut-off",
    "span-lost",
    "false-positive",
    "rank-worsened",
    "query-value-fell",
    "no-drop",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Where a step works: `root` is the repository, `folder` the working directory in it, `prefix` its path."""

    root: Path
    folder: Path
    prefix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRow:
    """An output of the step, for the steps after it."""

    name: str
    description: str


OUTPUTS = (
    OutputRow(name="result", description="pass, fail (a gate failed), or error (nothing could be judged)."),
    OutputRow(name="exit-code", description="The exit code of the gate, also where fail-on made it pass."),
    OutputRow(name="failures", description="How many gates failed."),
    OutputRow(name="regressions", description="How many of them fell below the committed baseline."),
    OutputRow(name="report", description="The first report's path from the repository's root; empty where none."),
    OutputRow(name="evaluation-hash", description="The hash of what was evaluated."),
    OutputRow(name="baseline-status", description="matched, partial, missing or loosened."),
)


def main() -> None:
    """The action's entry point: exits with the code of the step. A bug exits 70, as on the command line."""
    from retrieval_gate.cli import guarded

    sys.exit(guarded(lambda: act(os.environ), on_bug=lambda: _tell_of_bug(os.environ)))


def act(environment: Mapping[str, str]) -> int:
    """Run the step that `environment` describes; returns its exit code."""
    prepare_streams()
    try:
        inputs = read_inputs(environment)
        step = _step(inputs, environment)
    except GateError as error:
        return _failed(error, environment, prefix="", summarised=True, most=10)
    _warn_of_event(environment)
    try:
        outcome = run(_options(inputs, step), step.folder)
    except GateError as error:
        return _failed(error, environment, prefix=step.prefix, summarised=inputs.summary, most=inputs.annotations)
    _tell(outcome, inputs, step, environment)
    return exit_code(outcome.report)


def _step(inputs: Inputs, environment: Mapping[str, str]) -> Step:
    """The step's folders; the process moves into the working directory."""
    root = Path(environment.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    try:
        folder = (root / (inputs.working_directory or "")).resolve(strict=True)
    except (OSError, RuntimeError) as failure:  # RuntimeError: links in a circle, before Python 3.13
        raise _no_folder("the working directory does not exist") from failure
    if folder != root and root not in folder.parents:
        raise UsageError(
            "outside-workspace",
            "the working directory leads out of the repository",
            fix="give a folder inside it, without symlinks that lead out",
        )
    try:
        os.chdir(folder)
    except OSError as failure:
        raise _no_folder("the working directory is not a folder that can be entered") from failure
    prefix = folder.relative_to(root)
    return Step(root=root, folder=folder, prefix=prefix.as_posix() if prefix.parts else "")


def _no_folder(what: str) -> UsageError:
    fix = "check the path, and that actions/checkout runs before this step"
    return UsageError("no-working-directory", what, fix=fix)


def _options(inputs: Inputs, step: Step) -> Options:
    return Options(
        config=inputs.config,
        fixture=inputs.fixture,
        held_out=inputs.held_out,
        baseline=inputs.baseline,
        base_baseline=inputs.base_baseline,
        approve_loosening=inputs.approve_loosening,
        ablations=inputs.ablations,
        fail_on=inputs.fail_on,
        allow_missing_baseline=inputs.allow_missing_baseline,
        reports=_reports(inputs),
        label=inputs.label,
        today=inputs.today,
        prefix=step.prefix,
    )


def _reports(inputs: Inputs) -> tuple[ReportFile, ...]:
    """One file per format, in the order that was asked for: the candidate baseline lies beside the first."""
    stem = FILE_STEM if inputs.label is None else f"{FILE_STEM}-{_slug(inputs.label)}"
    return tuple(
        ReportFile(form=form, path=f"{inputs.report_dir}/{stem}{_ending(form)}") for form in inputs.report_formats
    )


def _ending(form: str) -> str:
    """The ending of a format's file; two JSON formats must not share one name."""
    extension = output(form).extension
    return extension if form in ("json", "text", "markdown") else f".{form}{extension}"


def _slug(label: str) -> str:
    """The label as a file name; what is replaced is told apart by a digest, so that no two labels share a file."""
    slug = re.sub(r"[^A-Za-z0-9._-]", "-", label)
    return slug if slug == label else f"{slug}-{short_digest(label)[:8]}"


def _tell(outcome: Outcome, inputs: Inputs, step: Step, environment: Mapping[str, str]) -> None:
    """Log, annotations, summary, outputs, in the order in which a reader needs them."""
    report = outcome.report
    say(output("text").render(report, Style(prefix=step.prefix)))
    _say_if(annotate(report, limit=inputs.annotations, prefix=step.prefix))
    if inputs.summary:
        write_summary(environment, summary(report, budget=summary_budget(environment)))
    written = [step.folder / path for path in outcome.written]
    give_to_owner(step.root, [*written, *_folders(written, step.folder)])
    first = outcome.written[0] if outcome.written else ""
    write_outputs(environment, _values(report, _joined(step.prefix, first)))


def _folders(files: list[Path], stop: Path) -> list[Path]:
    """The folders between the working directory and the files."""
    found = {parent for file in files for parent in file.parents if stop in parent.parents}
    return sorted(found)


def _values(report: Report, path: str) -> dict[str, str]:
    failed = with_status(report, Status.FAILED)
    code = exit_code(report)
    return {
        "result": "pass" if code is ExitCode.PASS else "fail" if code is ExitCode.GATE_FAILED else "error",
        "exit-code": str(int(code)),
        "failures": str(len(failed)),
        "regressions": str(len([verdict for verdict in failed if kind_of(verdict.kind).id in _REGRESSIONS])),
        "report": path,
        "evaluation-hash": report.definition.evaluation,
        "baseline-status": report.baseline.status.value,
    }


def _failed(error: GateError, environment: Mapping[str, str], *, prefix: str, summarised: bool, most: int) -> int:
    """Say an error that stopped the run, where a reviewer looks; the outputs say `error`."""
    problems: tuple[Problem, ...] = error.problems if isinstance(error, InputError) else ()
    for problem in problems:
        say_plainly(str(problem))
    say_plainly(f"retrieval-gate: error: {error}")
    _say_if(error_annotations(error, limit=most, prefix=prefix))
    if summarised:
        write_summary(environment, error_summary(error, budget=summary_budget(environment)))
    write_outputs(environment, _unjudged(error.exit_code))
    return error.exit_code


def _tell_of_bug(environment: Mapping[str, str]) -> None:
    """What the steps after this one read, where a bug has ended it; the log has the trace."""
    say("::error title=internal-error::a bug in retrieval-gate: this step's log has its trace, please report it")
    write_outputs(environment, _unjudged(ExitCode.INTERNAL))


def _unjudged(code: ExitCode) -> dict[str, str]:
    return {row.name: "" for row in OUTPUTS} | {"result": "error", "exit-code": str(int(code))}


def _warn_of_event(environment: Mapping[str, str]) -> None:
    if environment.get("GITHUB_EVENT_NAME") == "pull_request_target":
        warning(
            "this runs on pull_request_target, with the base repository's secrets; "
            "the gate needs no token: use pull_request"
        )


def _joined(prefix: str, path: str) -> str:
    """The path from the repository's root, without `.` and doubled slashes; empty for none."""
    return PurePosixPath(prefix, path).as_posix() if path else ""


def _say_if(text: str) -> None:
    if text:
        say(text)
