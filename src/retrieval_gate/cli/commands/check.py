"""`retrieval-gate check FILE…`: every problem of every file, nothing is run."""

from __future__ import annotations

from collections.abc import Sequence

import click

from retrieval_gate.base.errors import FixtureError, UsageError
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.files import read_bounded
from retrieval_gate.base.places import Problem, Severity
from retrieval_gate.cli.console import say_plainly, warn_plainly
from retrieval_gate.inputs.fixture import FIXTURE_BYTE_LIMIT, HeldOutFile, check_fixture


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--held-out", metavar="FILE", help="The held-out queries of the fixture.")
def command(files: tuple[str, ...], held_out: str | None) -> int:
    """Check fixture files: schema, labels, spans, secrets and paths.

    Every problem is one line on stdout with file:line, rule, JSON pointer and fix. Exits 2 where a file has an
    error; warnings alone exit 0.
    """
    if held_out and len(files) > 1:
        raise UsageError(
            "held-out-of-several",
            "a file of held-out queries belongs to one fixture",
            fix="check one fixture with --held-out at a time",
        )
    good = [_check(file, held_out or None) for file in files]
    return ExitCode.PASS if all(good) else ExitCode.BAD_INPUT


def _check(file: str, held_out: str | None) -> bool:
    try:
        apart = None if held_out is None else HeldOutFile(data=_read(held_out), file=held_out)
        problems = check_fixture(_read(file), file=file, held_out=apart)
    except FixtureError as unreadable:
        warn_plainly(f"retrieval-gate: error: {unreadable}")
        return False
    for problem in problems:
        say_plainly(str(problem))
    for name in (file,) if held_out is None else (file, held_out):
        own = [problem for problem in problems if problem.place.file == name]
        errors, warnings = _count(own, Severity.ERROR), _count(own, Severity.WARNING)
        counts = f"{_counted(errors, 'error')}, {_counted(warnings, 'warning')}"
        say_plainly(f"{name}: {'rejected' if errors else 'accepted'}, {counts}")
    return not _count(problems, Severity.ERROR)


def _read(file: str) -> bytes:
    return read_bounded(file, limit=FIXTURE_BYTE_LIMIT, error=FixtureError)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _count(problems: Sequence[Problem], severity: Severity) -> int:
    return len([problem for problem in problems if problem.severity is severity])
