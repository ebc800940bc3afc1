"""What a caller asked for, and the inputs that follow from it: the configuration read, the defaults filled in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from retrieval_gate.base.config import AblationSpec, Config
from retrieval_gate.base.errors import ConfigError, UsageError
from retrieval_gate.base.files import read_bounded
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.transport import PythonSettings, Transport
from retrieval_gate.inputs.config import CONFIG_BYTE_LIMIT, default_config, find_config, load_config
from retrieval_gate.report.report import FailOn, SetAside


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFile:
    """A report to write: `form` is an output's id, `path` is relative to the working folder."""

    form: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a caller asked for; None means the configuration's or the default.

    `base_baseline` is the base branch's baseline file, from which loosening is computed; `approve_loosening` the
    hash of the loosenings that are approved. `reports` are written with the candidate baseline beside the first.
    `held_out` is the fixture's file of held-out queries, which are named in reports only with `reveal_held_out`.
    `today` is the date that waivers are held against; None: their dates are not checked. `prefix` is the working
    folder's path from the repository's root, for the places in reports. `retriever` takes the place of all
    configured ablations; the line itself is never run with one.
    """

    config: str | None = None
    fixture: str | None = None
    held_out: str | None = None
    baseline: str | None = None
    ablations: tuple[str, ...] = ()
    retriever: str | None = None
    abstention: bool = True
    allow_missing_baseline: bool = False
    reports: tuple[ReportFile, ...] = ()
    label: str | None = None
    base_baseline: str | None = None
    approve_loosening: str | None = None
    fail_on: FailOn = FailOn.REGRESSION
    today: date | None = None
    reveal_held_out: bool = False
    prefix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The inputs after defaults: the configuration, and where it, the fixture and the baseline are.

    `held_out` is None where the fixture has no file of held-out queries. `set_aside` are the parts of the
    configuration that are not used, as they were written for another fixture.
    """

    config: Config
    config_path: str | None
    fixture: str
    held_out: str | None
    baseline: str
    set_aside: tuple[SetAside, ...] = ()

    @property
    def sources(self) -> tuple[tuple[str, str], ...]:
        """What an output must never replace: what it is, and its path."""
        named = (
            ("configuration", self.config_path),
            ("fixture", self.fixture),
            ("file of held-out queries", self.held_out),
        )
        return tuple((name, path) for name, path in named if path is not None)


def settle(options: Options, workspace: Path) -> Settled:
    """Read the configuration and fill in the defaults.

    A fixture named by the caller in the configured one's place leaves the configuration's baseline, alias table
    and held-out queries aside: they are written for one fixture.
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
    set_aside: tuple[SetAside, ...] = ()
    if options.fixture is not None and not same_file(Path(options.fixture), config.fixture):
        set_aside = _set_aside(config, options)
        config = replace(config, baseline=None, aliases=None, held_out=None)
    if options.retriever is not None:
        config = replace(config, ablations=(named_retriever(options.retriever),))
    if not options.abstention:
        config = replace(config, engine=replace(config.engine, abstention=False))
    baseline = options.baseline or config.baseline or f"{fixture.removesuffix('.json')}.baseline.jsonl"
    held_out = options.held_out or config.held_out
    return Settled(
        config=config,
        config_path=path,
        fixture=fixture,
        held_out=held_out,
        baseline=baseline,
        set_aside=set_aside,
    )


def chosen(options: Options, settled: Settled) -> tuple[AblationSpec, ...]:
    """The ablations that the caller chose, all where it chose none; the plan refuses a name that none has."""
    return tuple(
        spec for spec in settled.config.ablations if not options.ablations or spec.id in options.ablations
    )


def named_retriever(retriever: str) -> AblationSpec:
    """The one ablation of a retriever that is named on the command line: its Python module may be here."""
    spec = AblationSpec(id=AblationId("retriever"), retriever=retriever)
    if spec.scheme != "python":
        return spec
    return replace(spec, transport=Transport(settings=PythonSettings(python_path=(".",))))


def _set_aside(config: Config, options: Options) -> tuple[SetAside, ...]:
    """What of the configuration is there and is not used; what the caller names in its place is no loss."""
    lost = {
        SetAside.ALIASES: config.aliases is not None,
        SetAside.HELD_OUT: config.held_out is not None and options.held_out is None,
        SetAside.BASELINE: config.baseline is not None and options.baseline is None,
    }
    return tuple(part for part, there in lost.items() if there)


def same_file(one: Path, other: str | Path | None) -> bool:
    """Whether both paths lead to one file, however they are spelled; also where there is none yet."""
    if other is None:
        return False
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == Path(other).resolve()
