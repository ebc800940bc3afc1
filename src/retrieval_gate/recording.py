"""What a retriever answers, saved so that the gate can run later, elsewhere, without it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from retrieval_gate.app import read_held_out, refuse_input, refuse_stderr
from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import FixtureError, RetrieverError, UsageError
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.files import guard_output, read_bounded, write_atomically
from retrieval_gate.base.fixture import Split
from retrieval_gate.base.ids import AblationId
from retrieval_gate.evaluation.plan import Plan, make_plan
from retrieval_gate.evaluation.recorder import RecordedLine, RecorderProcess
from retrieval_gate.inputs.fixture import FIXTURE_BYTE_LIMIT, load_fixture
from retrieval_gate.retrievers.replay import recordings
from retrieval_gate.retrievers.table import is_recorded
from retrieval_gate.settle import Options, Settled, settle

# Behind the name of a recording that a failure cut short: it never replaces a whole one.
PARTIAL = ".partial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A file that was written: the answers of one pass, and whether any has a text that a model would read."""

    path: str
    answers: int
    holds_text: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """`held_out` counts the held-out queries, whose ids and answers are in the files too.

    `failure` is None where every pass is whole; else `kept` are the partial files.
    """

    ablation: AblationId
    held_out: int
    kept: tuple[Kept, ...]
    failure: RetrieverFailure | None


def record(options: Options, out: str, second: str | None, workspace: Path) -> Recorded:
    """Ask the one chosen ablation every question, once for `out` and once more for `second`, and write the files.

    Each pass runs in fresh state as a run of the gate does. Nothing is written before all passes have ended; where
    the retriever fails, what it answered is kept under the files' names with `.partial` behind them. Raises
    GateError where nothing can be recorded.
    """
    outputs = (out,) if second is None else (out, second)
    settled = settle(options, workspace)
    _refuse_outputs(outputs, settled, workspace)
    refuse_stderr(options, settled, (*outputs, *(f"{path}{PARTIAL}" for path in outputs)), workspace)
    data = read_bounded(settled.fixture, limit=FIXTURE_BYTE_LIMIT, error=FixtureError)
    loaded = load_fixture(data, file=settled.fixture, held_out=read_held_out(settled.held_out))
    plan = make_plan(loaded.fixture, settled.config, only=options.ablations)
    _check_single(plan)
    _refuse_itself(plan.ablations[0], outputs, workspace)
    passes, failure = _passes(plan, len(outputs))
    suffix = "" if failure is None else PARTIAL
    kept = [
        _written(lines, f"{path}{suffix}", workspace)
        for path, lines in zip(outputs, passes, strict=False)
        if lines
    ]
    held_out = [query for query in plan.fixture.queries if query.split is Split.HELDOUT]
    return Recorded(ablation=plan.ablations[0].id, held_out=len(held_out), kept=tuple(kept), failure=failure)


def failed(recorded: Recorded) -> RetrieverError | None:
    """The failure as the error that a user reads; None where there is none."""
    failure = recorded.failure
    if failure is None:
        return None
    return RetrieverError(
        failure.code,
        f"pass {failure.run} is incomplete: {failure.detail}",
        fix="repair the retriever, then record again; no recording was replaced",
    )


def _passes(plan: Plan, number: int) -> tuple[list[tuple[RecordedLine, ...]], RetrieverFailure | None]:
    """The lines of each pass, one after the other; none is begun behind one that failed."""
    passes: list[tuple[RecordedLine, ...]] = []
    for run in range(1, number + 1):
        with closing(RecorderProcess(run)) as process:
            lines, failure = process.record(plan)
        passes.append(lines)
        if failure is not None:
            return passes, failure
    return passes, None


def _written(lines: Sequence[RecordedLine], path: str, workspace: Path) -> Kept:
    write_atomically(workspace, path, "".join(f"{line.text}\n" for line in lines))
    # The first line is the retriever's hello.
    return Kept(path=path, answers=len(lines) - 1, holds_text=any(line.holds_text for line in lines))


def _check_single(plan: Plan) -> None:
    if len(plan.ablations) == 1:
        return
    names = [spec.id for spec in plan.ablations]
    raise UsageError(
        "several-ablations",
        f"a recording is of one ablation, and {len(names)} are configured",
        fix=f"choose one with --ablations: {', '.join(names)}",
    )


def _refuse_outputs(outputs: Sequence[str], settled: Settled, workspace: Path) -> None:
    """Refuse, before anything runs, what can not be written or is read by the gate."""
    inputs = (*settled.sources, ("committed baseline", settled.baseline))
    targets = [guard_output(workspace, path) for path in outputs]
    for path in outputs:
        guard_output(workspace, f"{path}{PARTIAL}")
    for target in targets:
        refuse_input(target, inputs, workspace)
    if len(set(targets)) < len(targets):
        raise UsageError("same-output", "both passes would be one file", fix="give --second another name")


def _refuse_itself(spec: AblationSpec, outputs: Sequence[str], workspace: Path) -> None:
    """What is replayed for a recording must not be replaced by it; what another ablation replays may."""
    replayed = (
        tuple(("recording that is replayed", file) for file in recordings(spec)) if is_recorded(spec) else ()
    )
    for path in outputs:
        refuse_input(guard_output(workspace, path), replayed, workspace)
