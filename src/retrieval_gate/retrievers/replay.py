"""Recorded answers in a retriever's place: a recording of `retrieval-gate record`, or a TREC run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import ConfigError, RetrieverError
from retrieval_gate.base.files import read_bounded
from retrieval_gate.base.places import Place
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.base.transport import ReplaySettings, RunOrder
from retrieval_gate.retrievers.port import Opening, Retriever

if TYPE_CHECKING:  # pydantic comes with the contract: the command line must start fast
    from retrieval_gate.retrievers.contract import Message
    from retrieval_gate.retrievers.foreign import Answer
    from retrieval_gate.retrievers.recording import Recorded, Recording

RECORDING_BYTE_LIMIT = 64 * 1024 * 1024
_RECORD_AGAIN = "record again: retrieval-gate record --out FILE"


def replay_settings(spec: AblationSpec) -> ReplaySettings:
    """The settings of a `replay:` ablation; the defaults where its configuration has no table for them."""
    settings = spec.transport.settings
    return settings if isinstance(settings, ReplaySettings) else ReplaySettings()


def recordings(spec: AblationSpec) -> tuple[str, ...]:
    """The files of a `replay:` ablation: of both passes, or of the first and the second."""
    second = replay_settings(spec).second
    return (spec.address,) if second is None else (spec.address, second)


def check_replay(spec: AblationSpec) -> None:
    """Raises ConfigError, with file and line, where a recording can not be read."""
    if not spec.address:
        raise ConfigError(
            "no-recording",
            f"ablation {spec.id} names no recording",
            fix="write replay:FILE, e.g. replay:run.jsonl",
        )
    for file in recordings(spec):
        load(file, replay_settings(spec).order)


def load(file: str, order: RunOrder) -> Recording:
    """The recording in `file`, whose format is told from its content; raises ConfigError."""
    from retrieval_gate.inputs.formats.trec_run import by_score, read_run
    from retrieval_gate.retrievers.recording import of_run, read_recording

    data = read_bounded(file, limit=RECORDING_BYTE_LIMIT, error=ConfigError)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[")):
        return read_recording(data, file=file)
    run = read_run(data, file=file, error=ConfigError)
    match order:
        case RunOrder.TREC_EVAL:
            return of_run({query: by_score(hits) for query, hits in run.items()}, scores=True)
        case RunOrder.FILE:
            # What orders the file is not its scores, so that nothing is held against them.
            return of_run(run, scores=False)


def open_replay(specs: Sequence[AblationSpec], opening: Opening) -> tuple[Retriever, ...]:
    """One retriever per spec; run 2 has the second recording, where there is one."""
    from retrieval_gate.retrievers.foreign import open_foreign

    return open_foreign(specs, opening, lambda spec, _: _carrier(spec, opening))


def _carrier(spec: AblationSpec, opening: Opening) -> ReplayCarrier:
    settings = replay_settings(spec)
    file = recordings(spec)[-1 if opening.run == 2 else 0]
    try:
        recording = load(file, settings.order)
    except ConfigError as refused:
        # It could be read before the runs began.
        raise RetrieverError(
            "bad-recording", f"the recording can not be read any more: {refused.what}", fix=_RECORD_AGAIN
        ) from refused
    return ReplayCarrier(recording, file=file, fixture=opening.fixture, missing_is_empty=settings.missing_is_empty)


class ReplayCarrier:
    """Answers from a recording. More hits than are asked for are cut: a TREC run holds a thousand for each query.

    Raises RetrieverError `stale-recording` where it was made for another fixture (by id and version; None is not
    compared), or its answer for another question; `not-recorded` where it has no answer. `missing_is_empty`
    makes that an empty answer, but for a recording that has not one answer to what is asked.
    """

    def __init__(
        self, recording: Recording, *, file: str, fixture: tuple[str, int] | None, missing_is_empty: bool
    ) -> None:
        self._recording = recording
        self._file = file
        self._missing_is_empty = missing_is_empty
        if fixture is not None:
            self._check_fixture(fixture)

    def hello(self) -> Hello:
        return self._recording.hello

    def exchange(self, messages: Sequence[Message]) -> Iterator[Answer]:
        from retrieval_gate.retrievers.foreign import Answer

        self._check_any(messages)
        for message in messages:
            yield Answer(body=self._answer(message))

    def close(self) -> None:
        """Nothing is open."""

    def _answer(self, message: Message) -> Mapping[str, object]:
        from retrieval_gate.retrievers.contract import error_answer

        recorded = self._recording.answers.get(message["id"])
        if recorded is None and self._missing_is_empty:
            return {"hits": []}
        if recorded is None:
            raise RetrieverError(
                "not-recorded",
                "the recording has no answer",
                fix=f"{_RECORD_AGAIN}; set missing-is-empty where a run leaves out what it found nothing for",
                where=Place(file=self._file),
            )
        self._check_request(recorded, message)
        if "error" in recorded.body:
            raise error_answer(recorded.body["error"])
        hits: Any = recorded.body["hits"]
        return {**recorded.body, "hits": hits[: message["k"]]}

    def _check_fixture(self, fixture: tuple[str, int]) -> None:
        made_for = self._recording.made_for
        if made_for is None or made_for.fixture == fixture:
            return
        (recorded, version), (asked, asked_version) = made_for.fixture, fixture
        what = (
            f"version {version} of the fixture, not version {asked_version}"
            if recorded == asked
            else "another fixture"
        )
        raise self._stale(f"the recording was made for {what}", line=1)

    def _check_request(self, recorded: Recorded, message: Message) -> None:
        from retrieval_gate.retrievers.recording import request_digest

        made_for = self._recording.made_for
        if made_for is not None and made_for.k != message["k"]:
            raise self._stale(f"the recording was made for k = {made_for.k}, not k = {message['k']}", line=1)
        if recorded.request is not None and recorded.request != request_digest(message):
            raise self._stale(
                f"line {recorded.line} of the recording answers another request: its query, k, principal, time "
                "or language is not that of the fixture",
                line=recorded.line,
            )

    def _check_any(self, messages: Sequence[Message]) -> None:
        if messages and not any(message["id"] in self._recording.answers for message in messages):
            raise RetrieverError(
                "not-recorded",
                f"the recording has an answer to none of the {len(messages)} queries",
                fix=f"check that its query ids are the fixture's, or {_RECORD_AGAIN}",
                where=Place(file=self._file),
            )

    def _stale(self, what: str, *, line: int) -> RetrieverError:
        return RetrieverError("stale-recording", what, fix=_RECORD_AGAIN, where=Place(file=self._file, line=line))
