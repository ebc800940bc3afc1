"""`exec:` with real processes: what goes wrong is told by its own code; nothing that they say or start stays."""

from __future__ import annotations

import gc
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval_gate.base.errors import ConfigError, OutputError, RetrieverError
from retrieval_gate.base.ids import DocumentId
from retrieval_gate.base.transport import ExecSettings, Transport, UnknownIds
from retrieval_gate.report.names import FAILURE_CODES
from retrieval_gate.retrievers import process
from retrieval_gate.retrievers.port import administered
from retrieval_gate.retrievers.process import LineProcess, end_all
from retrieval_gate.retrievers.table import check_retriever, open_retrievers
from tests.evaluation.scripted import DOCUMENTS
from tests.retrievers.asking import (
    REQUESTS,
    Asked,
    ask,
    ids,
    opened,
    opening,
    python_program,
    request,
    spec,
)
from tests.scoring.build import document

posix_only = pytest.mark.skipif(os.name != "posix", reason="process groups and named pipes are POSIX's")


def program(*arguments: str) -> str:
    return python_program("exec", "misbehaving.py", *arguments)


def asked(folder: Path, behaviour: str, transport: Transport | None = None) -> Asked:
    with opened(folder, spec(program(behaviour), transport or Transport())) as retriever:
        return ask(retriever)


def failed_to_open(folder: Path, behaviour: str, transport: Transport | None = None) -> RetrieverError:
    with (
        pytest.raises(RetrieverError) as caught,
        opened(folder, spec(program(behaviour), transport or Transport())),
    ):
        pass
    return caught.value


def test_a_retriever_that_behaves_answers_every_question_in_order(tmp_path: Path) -> None:
    with opened(tmp_path, spec(program("none"))) as retriever:
        hello = retriever.hello()
        answers = ask(retriever)
        again = ask(retriever)

    assert (hello.name, hello.version, hello.fingerprint) == ("misbehaving", "1", "f")
    assert hello.capabilities == {"asOf"}
    assert (ids(answers), answers.failure) == (["q1", "q2", "q3"], None)
    assert [[hit.chunk for hit in response.hits] for response in answers.responses] == [["k1"]] * 3
    assert min(response.elapsed_ns for response in answers.responses) > 0
    assert (ids(again), again.failure) == (["q1", "q2", "q3"], None)


def test_many_questions_under_way_give_the_same_answers_as_one_at_a_time(tmp_path: Path) -> None:
    for number, concurrency in enumerate((1, 2, 16)):
        (tmp_path / str(number)).mkdir()
        answers = asked(tmp_path / str(number), "none", Transport(concurrency=concurrency))
        assert (ids(answers), answers.failure) == (["q1", "q2", "q3"], None)


def test_as_many_questions_are_under_way_as_the_configuration_says_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    three = asked(tmp_path / "a", "waits-for-three", Transport(concurrency=3))
    two = asked(tmp_path / "b", "waits-for-three", Transport(concurrency=2, timeout=0.3))

    assert (ids(three), three.failure) == (["q1", "q2", "q3"], None)
    assert (ids(two), two.code) == ([], "timeout")


# Behaviour at the second question, its code, and words that the message has.
WRONG = (
    ("crash", "process-died", "ended with status 4"),
    ("wrong-id", "wrong-id", "no request that was asked"),
    ("again", "answered-twice", "second time"),
    ("partial-line", "partial-line", "after 20 bytes of a line"),
    ("not-json", "not-json", "6 bytes"),
    ("empty-line", "not-json", "0 bytes"),
    ("commands", "not-json", "not JSON"),
    ("array", "bad-answer", "array, not an object"),
    ("invalid-utf8", "invalid-utf8", "not UTF-8"),
    ("wrong-version", "wrong-version", "v is not 1"),
    ("error", "retriever-error", "index-offline"),
    ("too-many", "too-many-hits", "3 hits came where 2"),
    ("unknown-id", "unknown-id", "1 of 1 hits"),
    ("nan", "not-json", "not JSON"),
    ("rising", "scores-against-order", "rank 2"),
    ("other-member", "bad-answer", "not a member of the contract"),
)


@pytest.mark.parametrize(("behaviour", "code", "words"), WRONG, ids=[row[0] for row in WRONG])
def test_each_wrong_answer_has_its_code_and_the_answer_before_it_is_kept(
    behaviour: str, code: str, words: str, tmp_path: Path
) -> None:
    answers = asked(tmp_path, behaviour)

    assert (ids(answers), answers.code) == (["q1"], code)
    assert words in answers.what
    assert "canary" not in answers.what
    assert code in FAILURE_CODES


@posix_only
def test_a_process_killed_within_a_line_is_told_with_its_signal(tmp_path: Path) -> None:
    answers = asked(tmp_path, "killed-mid-line")

    assert (ids(answers), answers.code) == (["q1"], "partial-line")
    assert "SIGKILL" in answers.what


def test_a_question_answered_twice_is_found_at_the_next(tmp_path: Path) -> None:
    answers = asked(tmp_path, "twice")

    assert (ids(answers), answers.code) == (["q1", "q2"], "answered-twice")


def test_a_line_behind_the_very_last_answer_is_no_failure_whoever_is_faster(tmp_path: Path) -> None:
    with opened(tmp_path, spec(program("twice"))) as retriever:
        answers = ask(retriever, REQUESTS[:2])

    assert (ids(answers), answers.failure) == (["q1", "q2"], None)


def test_answers_out_of_order_are_refused(tmp_path: Path) -> None:
    answers = asked(tmp_path, "swapped", Transport(concurrency=2))

    assert (ids(answers), answers.code) == (["q1"], "out-of-order")


def test_falling_scores_and_ids_declared_as_possibly_unknown_are_no_failures(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert asked(tmp_path / "a", "falling").failure is None

    answers = asked(tmp_path / "b", "unknown-id", Transport(unknown_ids=UnknownIds.UNJUDGED))
    assert answers.failure is None
    assert "canary" not in answers.responses[1].hits[0].chunk


def test_a_process_that_ends_before_it_answers_has_not_started(tmp_path: Path) -> None:
    failure = failed_to_open(tmp_path, "crash-at-start")

    assert failure.code == "not-started"
    assert "status 3" in failure.what


def test_an_answer_to_hello_of_another_type_is_refused(tmp_path: Path) -> None:
    assert failed_to_open(tmp_path, "bad-hello").code == "bad-hello"


def test_a_process_that_closes_its_output_and_stays_has_not_started_and_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE", 0.05)
    failure = failed_to_open(tmp_path, "closes-at-start")

    assert failure.code == "not-started"
    assert "goes on running" in failure.what


def test_a_hang_at_the_start_is_ended_by_the_start_timeout(tmp_path: Path) -> None:
    failure = failed_to_open(tmp_path, "hang-at-start", Transport(settings=ExecSettings(start_timeout=0.2)))

    assert failure.code == "timeout"
    assert "0.2 s" in failure.what


def test_a_hang_is_ended_by_the_timeout_of_one_answer(tmp_path: Path) -> None:
    answers = asked(tmp_path, "hang", Transport(timeout=1.5))

    assert (ids(answers), answers.code) == (["q1"], "timeout")
    assert "1.5 s" in answers.what


def test_a_hang_is_ended_by_the_timeout_of_all_answers_where_that_comes_first(tmp_path: Path) -> None:
    failure = failed_to_open(tmp_path, "hang-at-start", Transport(total_timeout=0.2))

    assert failure.code == "total-timeout"
    assert "0.2 s" in failure.what


def test_a_process_that_does_not_read_keeps_nobody_waiting_past_the_timeout(tmp_path: Path) -> None:
    """The questions fill the pipe many times over: whoever waited until they were written would wait for good."""
    asked_for = [request(f"q{number}", "x" * 200_000) for number in range(4)]
    transport = Transport(timeout=0.3, concurrency=4)
    with opened(tmp_path, spec(program("never-reads"), transport)) as retriever:
        answers = ask(retriever, asked_for)

    assert (ids(answers), answers.code) == ([], "timeout")


def test_large_questions_ahead_of_large_answers_do_not_block_each_other(tmp_path: Path) -> None:
    asked_for = [request(f"q{number}", "x" * 200_000) for number in range(6)]
    with opened(tmp_path, spec(program("large"), Transport(concurrency=6))) as retriever:
        answers = ask(retriever, asked_for)

    assert (len(answers.responses), answers.failure) == (6, None)
    assert [len(response.citations or ()) for response in answers.responses] == [60_000] * 6


def test_an_answer_of_a_gigabyte_is_refused_without_being_held(tmp_path: Path) -> None:
    with opened(tmp_path, spec(program("endless"), Transport(answer_bytes=1 << 20))) as retriever:
        gc.collect()
        tracemalloc.start()
        answers = ask(retriever)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

    assert (ids(answers), answers.code) == (["q1"], "answer-too-large")
    assert "1048576 bytes" in answers.what
    assert peak < 4 << 20


def test_an_answer_as_long_as_allowed_is_taken_and_one_byte_more_is_not(tmp_path: Path) -> None:
    for number, (limit, code) in enumerate(((1_024, None), (1_023, "answer-too-large"))):
        (tmp_path / str(number)).mkdir()
        name = "q" * (1_024 - len('{"v": 1, "id": "", "hits": [{"id": "k1"}]}'))
        transport = Transport(answer_bytes=limit)
        with opened(tmp_path / str(number), spec(program("none"), transport)) as retriever:
            assert ask(retriever, [request(name)]).code == code


def test_a_line_that_nobody_asked_for_is_refused(tmp_path: Path) -> None:
    answers = asked(tmp_path, "unsolicited")

    assert (ids(answers), answers.code) == ([], "unsolicited-answer")
    assert "canary" not in answers.what


def test_what_it_writes_to_stderr_is_neither_seen_nor_in_its_way(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    answers = asked(tmp_path, "flood-stderr")

    assert (ids(answers), answers.failure) == (["q1", "q2", "q3"], None)
    assert capfd.readouterr() == ("", "")


def test_its_stderr_is_added_to_the_file_that_the_configuration_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    transport = Transport(settings=ExecSettings(stderr="logs/retriever.log"))
    for run in (1, 2):
        with opened(tmp_path, spec(program("flood-stderr"), transport), run) as retriever:
            ask(retriever)

    log = tmp_path / "logs" / "retriever.log"
    assert log.read_bytes().count(b"canary") == 2
    if os.name == "posix":
        assert log.stat().st_mode & 0o777 == 0o600


def test_a_file_for_stderr_outside_the_working_folder_is_refused_before_anything_runs() -> None:
    with pytest.raises(OutputError):
        check_retriever(spec(program("none"), Transport(settings=ExecSettings(stderr="../log"))))


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("", "no-command"),
        ("'unclosed", "bad-command"),
        ("no-such-program-hunter2 x", "no-program"),
        ("./no-such-file-hunter2", "no-program"),
    ],
)
def test_a_command_that_can_not_be_run_is_refused_before_anything_runs(command: str, code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_retriever(spec(f"exec:{command}"))

    assert caught.value.code == code
    assert "mine" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@posix_only
def test_a_program_that_the_system_can_not_start_has_not_started(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/no/such/interpreter\n", encoding="utf-8")
    broken.chmod(0o755)
    check_retriever(spec(f"exec:{broken}"))

    with pytest.raises(RetrieverError) as caught, opened(tmp_path, spec(f"exec:{broken}")):
        pass
    assert caught.value.code == "not-started"
    assert "FileNotFoundError" in caught.value.what


def test_each_run_and_ablation_has_a_folder_of_its_own_and_the_callers_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folders = []
    for run in (1, 2):
        specs = [spec(program("surroundings"), name=name) for name in ("a/b", "c")]
        retrievers = open_retrievers(specs, opening(tmp_path, run))
        for retriever in retrievers.values():
            hello = retriever.hello()
            assert (hello.name, hello.version) == (str(run), str(tmp_path))
            assert (Path(hello.fingerprint) / "state").read_text(encoding="utf-8") == "kept"
            folders.append(hello.fingerprint)
            retriever.close()
    assert len(set(folders)) == 4


def test_a_retriever_that_can_be_seeded_is_seeded_and_takes_changes(tmp_path: Path) -> None:
    with opened(tmp_path, spec(program("stateful"))) as retriever:
        changed = administered(retriever)
        assert changed is not None
        asked_for = [replace(request("q"), k=9)]
        counts = [len(ask(retriever, asked_for).responses[0].hits)]
        changed.update(document("new", n1="A new text."))
        counts.append(len(ask(retriever, asked_for).responses[0].hits))
        changed.delete(DocumentId("new"))
        counts.append(len(ask(retriever, asked_for).responses[0].hits))

    assert counts == [len(DOCUMENTS), len(DOCUMENTS) + 1, len(DOCUMENTS)]


def test_an_exchange_that_was_left_half_way_does_not_reach_into_the_next(tmp_path: Path) -> None:
    with opened(tmp_path, spec(program("none"), Transport(concurrency=3))) as retriever:
        first = next(iter(retriever.answer(REQUESTS)))
        answers = ask(retriever, (request("q4"), request("q1")))

    assert first.id == "q1"
    assert (ids(answers), answers.failure) == (["q4", "q1"], None)


@posix_only
@pytest.mark.parametrize("behaviour", ["none", "stubborn", "closed-stdout", "crash", "endless"])
def test_no_process_is_left_when_it_is_closed_not_even_one_that_will_not_end(
    behaviour: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE", 0.5)
    started: list[LineProcess] = []
    make = LineProcess.__init__

    def remember(self: LineProcess, *arguments: object, **named: object) -> None:
        make(self, *arguments, **named)  # type: ignore[arg-type] # whatever it is called with
        started.append(self)

    monkeypatch.setattr(LineProcess, "__init__", remember)
    asked(tmp_path, behaviour, Transport(timeout=1.5, answer_bytes=4_096))

    (one,) = started
    assert process._RUNNING == {}
    with pytest.raises(ProcessLookupError):
        os.killpg(one._process.pid, 0)


@posix_only
def test_what_it_started_itself_is_gone_too(tmp_path: Path) -> None:
    """The grandchild holds the pipe open as long as it runs: reading to the end returns when it is gone."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with opened(tmp_path, spec(program("grandchildren", str(pipe)))) as retriever:
        assert ask(retriever).failure is None
        with pytest.raises(BlockingIOError):
            os.read(reading, 1)
    os.set_blocking(reading, True)

    assert os.read(reading, 1) == b""
    os.close(reading)


@posix_only
def test_all_of_them_are_killed_at_once_where_the_gate_itself_must_end(tmp_path: Path) -> None:
    with opened(tmp_path, spec(program("none"))) as retriever:
        end_all()
        answers = ask(retriever)

    assert answers.code == "process-died"
    assert "SIGKILL" in answers.what
