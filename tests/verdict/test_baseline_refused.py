from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from retrieval_gate.base.errors import BaselineError
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.verdict.baseline import candidate, read_baseline, render_baseline
from tests.verdict.factories import config, evaluation, plan, query, record

ONE = query("q1", {"a": 3})
TWO = query("q2", {"b": 3})
PLAN = plan(ONE, TWO, ablations=("hybrid", "lexical"), metrics=("mrr@10", "hit@10"))
RECORDS = [
    record(asked, {unit: 1}, ablation=ablation)
    for ablation in ("hybrid", "lexical")
    for asked, unit in ((ONE, "a"), (TWO, "b"))
]
TEXT = render_baseline(candidate(PLAN, evaluation(PLAN, RECORDS), config(PLAN), reason=None, environment=()))
LINES = TEXT.splitlines()


def _line(start: str) -> int:
    """The number, from 1, of the only line that begins so."""
    (number,) = [number for number, line in enumerate(LINES, start=1) if line.startswith(start)]
    return number


def _refusal(text: str | bytes) -> BaselineError:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(BaselineError) as caught:
        read_baseline(data, file="b.jsonl")
    return caught.value


def _changed(number: int, change: Callable[[str], str]) -> str:
    lines = list(LINES)
    lines[number - 1] = change(lines[number - 1])
    assert lines != LINES
    return "\n".join(lines) + "\n"


def test_the_untouched_file_is_accepted() -> None:
    assert len(read_baseline(TEXT.encode(), file="b").records) == 4


def test_a_query_whose_records_are_of_other_judgments_is_torn() -> None:
    error = _refusal(_changed(_line('["query","q1"'), lambda line: line.replace('["a",3,', '["a",2,')))

    assert error.code == "baseline-torn"
    assert "other judgments" in error.what


@pytest.mark.parametrize("marker", ["<<<<<<< ours", "||||||| base", "=======", ">>>>>>> theirs"])
def test_a_conflict_marker_is_named_with_its_line(marker: str) -> None:
    lines = [*LINES[:6], marker, *LINES[6:]]

    error = _refusal("\n".join(lines))

    assert error.code == "merge-conflict"
    assert str(error.where) == "b.jsonl:7"
    assert error.exit_code is ExitCode.BAD_INPUT


@pytest.mark.parametrize(
    "start", ['["fixture"', '["component","corpus"', '["row","hybrid","all","mrr@10"', '["query","q1"', '["slack"']
)
def test_the_same_line_twice_is_named(start: str) -> None:
    number = _line(start)

    error = _refusal("\n".join([*LINES, LINES[number - 1]]))

    assert error.code == "baseline-duplicate"
    assert f"line {number}" in error.what
    assert error.where is not None
    assert error.where.line == len(LINES) + 1


def test_the_same_row_with_another_value_is_a_duplicate() -> None:
    number = _line('["row","hybrid","all","mrr@10"')

    error = _refusal(TEXT + LINES[number - 1].replace(",1.0,", ",0.9,") + "\n")

    assert error.code == "baseline-duplicate"


@pytest.mark.parametrize("version", ["v2", "v10", "v1.1"])
def test_another_version_is_named(version: str) -> None:
    error = _refusal(TEXT.replace("baseline/v1", f"baseline/{version}"))

    assert error.code == "baseline-version"
    assert str(error.where) == "b.jsonl:1"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"{}",
        b"[]",
        b"[1]",
        b"null",
        b"not json",
        b"\xff\xfe",
        b'["other"]',
        TEXT.encode() + b"[",
        TEXT.encode() + b'["row"]\n',
        TEXT.encode() + b'["surprise",1]\n',
        TEXT.encode() + b'["record",{"a":1}]\n',
        TEXT.encode() + b"\n",
        TEXT.encode() + b"[" * 100_000,
        TEXT.encode() + b'["environment","a",' + b"9" * 10_000 + b"]",
        b"\n".join(line.encode() for line in LINES[1:]),
    ],
)
def test_what_is_not_a_baseline_is_malformed(text: bytes) -> None:
    assert _refusal(text).code == "baseline-malformed"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_is_refused_with_its_line(number: str) -> None:
    line = _line('["slack"')

    error = _refusal(_changed(line, lambda _: f'["slack",{number}]'))

    assert (error.code, str(error.where)) == ("baseline-malformed", f"b.jsonl:{line}")


@pytest.mark.parametrize("start", ['["fixture"', '["component","corpus"', '["max-drop"', '["held-out"'])
def test_a_line_that_every_baseline_has_is_missed(start: str) -> None:
    lines = [line for line in LINES if not line.startswith(start)]

    error = _refusal("\n".join(lines))

    assert error.code == "baseline-malformed"
    assert re.search("there is no '(fixture|component|max-drop|held-out)' line", error.what)


@pytest.mark.parametrize(
    ("start", "old", "new"),
    [
        ('["query","q1"', '"q1"', '"q1::stop"'),
        ('["query","q1"', '"q1"', '"q 1"'),
        ('["query","q1"', '"q1"', '"q1\\n"'),
        ('["row","hybrid","all","mrr@10"', '"all"', '"a<b>"'),
        ('["component","corpus"', '"corpus","', '"corpus","x'),
        ('["metric","mrr@10"', "mrr@10", "mrr@0"),
        ('["metric","mrr@10"', "mrr@10", "bleu"),
    ],
)
def test_a_name_that_could_be_a_command_or_is_unknown_is_refused(start: str, old: str, new: str) -> None:
    number = _line(start)

    error = _refusal(_changed(number, lambda line: line.replace(old, new, 1)))

    assert (error.code, error.where and error.where.line) == ("baseline-malformed", number)


def test_a_record_from_another_run_is_found_at_its_query() -> None:
    number = _line('["record",["hybrid","q1"')

    error = _refusal(_changed(number, lambda line: line.replace('["a",3,1,', '["a",3,2,')))

    assert (error.code, error.where and error.where.line) == ("baseline-torn", _line('["query","q1"'))
    assert "q1" in error.what


def test_a_label_hash_from_another_run_is_found_at_its_query() -> None:
    number = _line('["query","q2"')

    error = _refusal(
        _changed(number, lambda line: re.sub('"q2","[0-9a-f]', '"q2","', line).replace('"q2","', '"q2","0'))
    )

    assert (error.code, error.where and error.where.line) == ("baseline-torn", number)


def test_a_row_from_another_run_is_found_at_its_line() -> None:
    number = _line('["row","lexical","all","mrr@10"')

    error = _refusal(_changed(number, lambda line: line.replace(",1.0,2]", ",0.5,2]")))

    assert (error.code, error.where and error.where.line) == ("baseline-torn", number)


@pytest.mark.parametrize("start", ['["row","lexical","all","mrr@10"', '["record",["lexical","q2"'])
def test_a_line_that_a_merge_has_dropped_is_missed(start: str) -> None:
    lines = [line for line in LINES if not line.startswith(start)]

    assert _refusal("\n".join(lines)).code == "baseline-torn"


def test_a_row_that_no_record_explains_is_found() -> None:
    extra = '["row","lexical","language=fr","mrr@10",1.0,1]'

    error = _refusal(TEXT + extra + "\n")

    assert (error.code, error.where and error.where.line) == ("baseline-torn", len(LINES) + 1)


def test_a_record_whose_query_is_gone_is_found() -> None:
    lines = [line for line in LINES if not line.startswith('["query","q1"')]

    error = _refusal("\n".join(lines))

    assert error.code == "baseline-torn"
    assert error.where is not None
    assert error.where.line is not None


@pytest.mark.parametrize("name", ["corpus", "labels", "system", "aliases"])
def test_a_component_hash_from_another_run_is_found(name: str) -> None:
    number = _line(f'["component","{name}"')

    error = _refusal(_changed(number, lambda line: re.sub(r'"[0-9a-f]{64}"', f'"{"0" * 64}"', line)))

    assert (error.code, error.where and error.where.line) == ("baseline-torn", _line('["evaluation"'))


def test_an_error_says_how_to_go_on() -> None:
    error = _refusal("")

    assert "retrieval-gate baseline accept --reason" in error.fix
