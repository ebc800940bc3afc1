"""The command table, and how a command's end becomes an exit code."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import cast

import click

from retrieval_gate import __version__
from retrieval_gate.base.errors import GateError, InputError, InternalError
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.names import nearest
from retrieval_gate.cli.console import prepare_streams, say_plainly, warn, warn_plainly


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRow:
    """A command, and the module that is imported when it is called; `summary` is its line in `--help`."""

    name: str
    module: str
    summary: str


COMMANDS = (
    CommandRow(name="run", module="run", summary="Evaluate a fixture twice, check the gates, write a report."),
    CommandRow(name="check", module="check", summary="Check fixture files; name every problem in one go."),
    CommandRow(
        name="baseline", module="baseline", summary="Accept what is measured now as the committed baseline."
    ),
    CommandRow(
        name="doctor", module="doctor", summary="Examine a retriever before the gate does; what to fix first."
    ),
    CommandRow(
        name="record", module="record", summary="Save what a retriever answers, to run the gate without it."
    ),
    CommandRow(name="score", module="score", summary="Score supplied traces: relevance, and each check apart."),
    CommandRow(name="compare", module="compare", summary="Show what a repair changed in supplied traces."),
    CommandRow(name="demo", module="demo", summary="Show five failures and why each blocks; needs no repository."),
    CommandRow(name="explain", module="explain", summary="Explain a metric, a gate, a failure or an exit code."),
)


class LateGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [row.name for row in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        row = next((row for row in COMMANDS if row.name == cmd_name), None)
        if row is None:
            return None
        module = importlib.import_module(f"retrieval_gate.cli.commands.{row.module}")
        return cast(click.Command, module.command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name for a misspelt one."""
        known = self.list_commands(ctx)
        hint = nearest(args[0], known) if args and args[0] not in known else None
        if hint is not None:
            ctx.fail(f"No such command. Did you mean '{hint}'?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of `--help`, from the table: nothing is imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl([(row.name, row.summary) for row in COMMANDS])


@click.group(cls=LateGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="retrieval-gate")
def cli() -> None:
    """A CI gate for retrieval.

    Runs a labelled fixture through a retrieval path twice, compares the runs, scores relevance, evidence,
    permissions, freshness and answer state, checks the gates against a committed baseline, and exits 1 where
    something got worse. `retrieval-gate explain exit-codes` lists the others.
    """


def run(arguments: list[str]) -> int:
    """The exit code of one call. Errors that a user can mend are printed without a traceback."""
    prepare_streams()
    try:
        outcome = cli.main(args=arguments, prog_name="retrieval-gate", standalone_mode=False)
    except click.UsageError as error:
        error.show()
        return ExitCode.BAD_INPUT
    except click.Abort:
        return ExitCode.INTERRUPTED
    except GateError as error:
        _explain(error)
        return error.exit_code
    return outcome if isinstance(outcome, int) else ExitCode.PASS


def _explain(error: GateError) -> None:
    if isinstance(error, InputError) and error.problems:
        for problem in error.problems:
            say_plainly(str(problem))
    if isinstance(error, InternalError):
        warn(f"retrieval-gate: internal error [{error.code}]: {error.what}\n{error.fix}")
        return
    warn_plainly(f"retrieval-gate: error: {error}")
    warn(f"exit code {int(error.exit_code)}: {error.exit_code.meaning}")
