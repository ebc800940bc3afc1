"""How a retriever of the user's own is reached: the settings of each kind of transport, as names and numbers.

Nothing here is a secret: a header that needs one names the environment variable that holds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class UnknownIds(StrEnum):
    """What a hit means whose id the fixture does not have."""

    FAIL = "fail"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """Where an answer that is not the contract's keeps what the contract names: dotted paths.

    A path that is None is looked for under its usual names. `hits` leads from the answer to its list, all others
    from one hit. `lower_is_better` says whether `score` is a distance; None: as the answer itself says, else not.
    """

    hits: str | None = None
    id: str | None = None
    score: str | None = None
    document: str | None = None
    text: str | None = None
    lower_is_better: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonSettings:
    """`python_path`: folders that are put before sys.path, relative to the working folder.

    `per_principal`: the attribute is a factory, called with each principal (None: the public) for the retriever
    that answers it. `start_timeout`: seconds for its import, in which it may load what it needs.
    """

    python_path: tuple[str, ...] = ()
    per_principal: bool = False
    start_timeout: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecSettings:
    """Of a retriever in a process of its own, over its stdin and stdout.

    `stderr`: a file, relative to the working folder, to which what the process says there is added; None: nowhere.
    `start_timeout`: seconds for the answer to `hello`, in which it may load what it needs.
    """

    stderr: str | None = None
    start_timeout: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """`preset` names the shape of requests and answers.

    `body` is a JSON text whose placeholders, such as `{query}` and `{k}`, are filled for each request; None: the
    preset's. `headers` may hold `{env.NAME}`. `ca_file` is relative to the working folder; None: the system's.
    `retries`: how often a request that is safe to repeat is repeated.
    """

    preset: str = "contract"
    method: str | None = None
    body: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    ca_file: str | None = None
    retries: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    """`tool` is the tool that retrieves; None: the only one that the server has.

    `arguments` is a JSON text of the tool's arguments with the same placeholders as an HTTP body; None: those of
    the contract's request that the tool's own schema names. `stderr` and `start_timeout` are as for `exec:`.
    """

    tool: str | None = None
    arguments: str | None = None
    stderr: str | None = None
    start_timeout: float = 60.0


class RunOrder(StrEnum):
    """Which order of a TREC run is its ranking: trec_eval's (score, then id, both descending) or the file's."""

    TREC_EVAL = "trec_eval"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySettings:
    """`second` is the recording of the second pass; None: the first one's serves both.

    `missing_is_empty`: a query without a line has been answered with nothing; else it is a failure.
    """

    second: str | None = None
    order: RunOrder = RunOrder.TREC_EVAL
    missing_is_empty: bool = False


Settings = PythonSettings | ExecSettings | HttpSettings | McpSettings | ReplaySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """What every retriever of the user's own is held to.

    timeout: seconds for one answer; total_timeout: seconds for all of one run. concurrency: how many questions
    are under way at once. answer_bytes: the longest answer. shared: the two runs, and the scenarios, reach one
    and the same state, so that they must go one after the other; None: as the kind of retriever has it.
    """

    timeout: float = 30.0
    total_timeout: float = 900.0
    concurrency: int = 1
    answer_bytes: int = 8 * 1024 * 1024
    shared: bool | None = None
    unknown_ids: UnknownIds = UnknownIds.FAIL
    fields: Fields = Fields()
    settings: Settings | None = None


def stderr_file(transport: Transport) -> str | None:
    """The file to which a retriever's process adds what it says on stderr; None where there is none."""
    settings = transport.settings
    return settings.stderr if isinstance(settings, ExecSettings | McpSettings) else None


# What holds where a configuration says nothing.
DEFAULT_TRANSPORT = Transport()
