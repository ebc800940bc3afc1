"""`retrieval-gate record` and `replay:` through the installed command, from one to the other and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.cli.entry import run
from tests.e2e.gate import BASELINE, FIXTURE, Gate, Ran, workspace
from tests.inputs.fixtures import encoded, sound

CANARY = "severance-for-manager"
CONTEXT = f"Green tea is steeped for two minutes. {CANARY}"
# An answer to each query of the small fixture.
ANSWERS: dict[str, dict[str, Any]] = {
    "q-en": {"hits": [{"id": "tea-1", "score": 2}], "context": [{"id": "tea-1", "text": CONTEXT}]},
    "q-en-none": {"hits": []},
    "q-zh": {"hits": [{"id": "cha-1"}]},
    "q-zh-none": {"hits": []},
}
RUN = "q-en Q0 tea-1 1 2 t\nq-en-none Q0 tea-2 1 1 t\nq-zh Q0 cha-1 1 1 t\nq-zh-none Q0 cha-1 1 1 t\n"
ABLATION = '[[ablations]]\nid = "mine"\nretriever = "replay:answers"\n'
GATE = '[[gates]]\nablation = "mine"\nmetric = "recall@5"\nmin = 1\n'


def _small(folder: Path, answers: str, replay: str = "") -> Gate:
    """A workspace with the small fixture and one ablation, `mine`, that replays `answers`."""
    (folder / "small.json").write_bytes(encoded(sound()))
    (folder / "answers").write_text(answers, encoding="utf-8")
    (folder / "retrieval-gate.toml").write_text(
        f'fixture = "small.json"\n{ABLATION}{replay}\n{GATE}', encoding="utf-8"
    )
    return Gate(workspace=folder)


def _plain(*queries: str) -> str:
    """The contract's answers to these queries, to all of them where none is named."""
    return "".join(json.dumps({"v": 1, "id": name} | ANSWERS[name]) + "\n" for name in queries or ANSWERS)


def _run(gate: Gate) -> tuple[Ran, dict[str, Any]]:
    return gate.report("--allow-missing-baseline")


def _not_shown(ran: Ran) -> bool:
    """Whether neither a question nor a text is in what was printed."""
    texts = [CANARY, *(query["query"] for query in sound()["queries"])]
    return not [text for text in texts if text in ran.out + ran.err]


def test_a_recording_has_the_metrics_of_what_it_recorded(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    recorded = gate.run("record", "--ablations", "hybrid-rerank", "--out", "made/1.jsonl", "--second", "2.jsonl")
    assert (recorded.code, recorded.out) == (0, "")
    (tmp_path / "replay.toml").write_text(
        f'fixture = "{FIXTURE}"\nbaseline = "{BASELINE}"\n'
        '[[ablations]]\nid = "hybrid-rerank"\nretriever = "replay:made/1.jsonl"\nreplay.second = "2.jsonl"\n',
        encoding="utf-8",
    )
    _, live = gate.report("--ablations", "hybrid-rerank")
    _, replayed = gate.report("--config", "replay.toml")

    undecided = {"evidence": None, "threshold": None, "margin": None}
    assert replayed["rows"] == live["rows"]
    assert replayed["queries"] == [query | undecided for query in live["queries"]]
    assert replayed["answerStates"] == live["answerStates"]
    assert replayed["differences"] == replayed["retrieverFailures"] == []
    assert replayed["diagnostics"]["latency"] == []
    assert replayed["scope"] == {
        "retrieval": "recorded-retrieval",
        "notChecked": ["claim-support", "production-authorisation"],
    }
    assert live["scope"]["retrieval"] == "real-retrieval"


def test_recorded_twice_it_is_the_same_file(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    gate.run("record", "--ablations", "hybrid", "--out", "1.jsonl", "--second", "2.jsonl")
    gate.run("record", "--ablations", "hybrid", "--out", "3.jsonl")

    first, *others = ((tmp_path / f"{number}.jsonl").read_bytes() for number in (1, 2, 3))
    assert others == [first, first]


@pytest.mark.parametrize("answers", [_plain(), RUN], ids=["the contract's answers", "a TREC run"])
def test_answers_from_elsewhere_are_scored_and_told_as_recorded_once(tmp_path: Path, answers: str) -> None:
    ran, report = _run(_small(tmp_path, answers))

    assert ran.code == ExitCode.PASS
    said = " ".join(ran.out.split())
    assert "2 replays of recorded retrieval" in said
    assert "determinism of what was recorded once" in said
    assert report["scope"]["notChecked"][2:] == ["determinism-of-what-was-recorded-once"]
    recall = [row["value"] for row in report["rows"] if (row["metric"], row["slice"]) == ("recall@5", "all")]
    assert recall == [1.0]
    assert _not_shown(ran)


def test_two_recordings_that_differ_are_two_runs_that_differ(tmp_path: Path) -> None:
    gate = _small(tmp_path, RUN, 'replay = { second = "second" }')
    (tmp_path / "second").write_text(RUN.replace("q-en Q0 tea-1", "q-en Q0 tea-2"), encoding="utf-8")
    ran, report = _run(gate)

    assert ran.code == ExitCode.NOT_DETERMINISTIC
    assert [(found["query"], found["rank"]) for found in report["differences"]] == [("q-en", 1)]


def test_a_replay_beside_real_retrieval_is_told_apart(tmp_path: Path) -> None:
    gate = _small(tmp_path, RUN)
    config = tmp_path / "retrieval-gate.toml"
    real = '[[ablations]]\nid = "lexical"\nchannels = ["lexical"]\n'
    config.write_text(config.read_text(encoding="utf-8") + real, encoding="utf-8")
    _, report = _run(gate)

    assert report["scope"]["retrieval"] == "partly-recorded-retrieval"
    assert [latency["ablation"] for latency in report["diagnostics"]["latency"]] == ["lexical"]


def test_a_query_that_was_not_recorded_ends_the_run_and_what_came_before_is_kept(tmp_path: Path) -> None:
    ran, report = _run(_small(tmp_path, _plain("q-en", "q-en-none")))

    assert ran.code == ExitCode.RETRIEVER_FAILED
    assert {failure["code"] for failure in report["retrieverFailures"]} == {"not-recorded"}
    assert "q-zh" in ran.out
    assert [query["query"] for query in report["queries"] if query["missing"]] == ["q-zh", "q-zh-none"]
    assert _not_shown(ran)


def test_an_edited_question_is_not_scored_with_the_answer_to_the_old_one(tmp_path: Path) -> None:
    gate = _small(tmp_path, _plain())
    assert gate.run("record", "--out", "made.jsonl").code == 0
    gate.edit("retrieval-gate.toml", "replay:answers", "replay:made.jsonl")
    assert _run(gate)[0].code == ExitCode.PASS

    gate.edit("small.json", "绿茶泡多久？", "绿茶要泡多久？")
    ran, report = _run(gate)
    assert ran.code == ExitCode.RETRIEVER_FAILED
    assert {failure["code"] for failure in report["retrieverFailures"]} == {"stale-recording"}
    assert "line 4 of the recording" in " ".join(ran.out.split())


def test_a_broken_recording_is_bad_input_with_file_and_line(tmp_path: Path) -> None:
    ran = _small(tmp_path, RUN + f"q-en Q0 {CANARY}\n").run("run")
    assert ran.code == ExitCode.BAD_INPUT
    assert "answers:5: [run-columns]" in ran.err
    assert _not_shown(ran)


def test_record_says_on_stderr_what_the_file_holds_and_shows_nothing_of_it(tmp_path: Path) -> None:
    ran = _small(tmp_path, _plain()).run("record", "--out", "made.jsonl")

    assert (ran.code, ran.out) == (0, "")
    assert ran.err == (
        "made.jsonl: 4 answers of ablation mine; ids, scores and stages, contexts with their text: "
        "keep it where the corpus may be kept\n"
    )
    assert CANARY in (tmp_path / "made.jsonl").read_text(encoding="utf-8")
    assert _not_shown(ran)


def test_record_says_where_there_is_no_text_in_the_file(tmp_path: Path) -> None:
    ran = _small(tmp_path, RUN).run("record", "--out", "made.jsonl")
    assert ran.err == "made.jsonl: 4 answers of ablation mine; ids, scores and stages, no text\n"


def test_a_failure_midway_leaves_the_old_recording_and_keeps_what_came_apart(tmp_path: Path) -> None:
    gate = _small(tmp_path, _plain("q-en", "q-en-none"))
    (tmp_path / "made.jsonl").write_text("the old one", encoding="utf-8")
    ran = gate.run("record", "--out", "made.jsonl", "--second", "again.jsonl")

    assert ran.code == ExitCode.RETRIEVER_FAILED
    assert "[not-recorded] pass 1 is incomplete" in ran.err
    assert "at query q-zh" in ran.err
    assert ran.err.startswith("made.jsonl.partial: 2 answers")
    assert (tmp_path / "made.jsonl").read_text(encoding="utf-8") == "the old one"
    partial = (tmp_path / "made.jsonl.partial").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line).get("id") for line in partial] == [None, "q-en", "q-en-none"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "answers",
        "made.jsonl",
        "made.jsonl.partial",
        "retrieval-gate.toml",
        "small.json",
    ]
    assert _not_shown(ran)


def test_the_ablation_that_replays_what_is_not_recorded_yet_does_not_stand_in_the_way(tmp_path: Path) -> None:
    gate = _small(tmp_path, RUN)
    later = '[[ablations]]\nid = "later"\nretriever = "replay:made.jsonl"\n'
    config = tmp_path / "retrieval-gate.toml"
    config.write_text(config.read_text(encoding="utf-8") + later, encoding="utf-8")

    assert "no such file" in gate.run("run").err
    assert gate.run("record", "--ablations", "mine", "--out", "made.jsonl").code == 0
    assert gate.run("record", "--ablations", "mine", "--out", "made.jsonl").code == 0
    assert _run(gate)[0].code == ExitCode.PASS


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ((), "--out"),
        (("--out", "a.jsonl", "--ablations", "mien"), "the nearest is mine"),
        (("--out", "/tmp/a.jsonl"), "absolute-path"),  # noqa: S108 - it is refused
        (("--out", "../a.jsonl"), "traversal"),
        (("--out", "small.json"), "replace the fixture"),
        (("--out", "retrieval-gate.toml"), "replace the configuration"),
        (("--out", "small.baseline.jsonl"), "replace the committed baseline"),
        (("--out", "answers"), "replace the recording that is replayed"),
        (("--out", "a.jsonl", "--second", "a.jsonl"), "same-output"),
        (("--out", "a.jsonl", "--second", "./a.jsonl"), "same-output"),
        (("--out", "a.jsonl", "--fixture", "nowhere.json"), "no such file"),
    ],
)
def test_a_mistake_exits_2_with_a_hint_and_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    hint: str,
) -> None:
    _small(tmp_path, RUN)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())

    assert run(["record", *arguments]) == ExitCode.BAD_INPUT
    assert hint in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("log", "what", "command"),
    [
        ("small.json", "the fixture", ("run",)),
        ("./retrieval-gate.toml", "the configuration", ("run", "--ablations", "ours")),
        ("small.baseline.jsonl", "the committed baseline", ("run",)),
        ("out.json", "the output", ("run", "--report", "out.json")),
        ("out.baseline.jsonl", "the output", ("run", "--report", "out.json")),
        ("small.json", "the fixture", ("record", "--ablations", "ours", "--out", "out.jsonl")),
        ("out.jsonl", "the output", ("record", "--ablations", "ours", "--out", "out.jsonl")),
        ("out.jsonl.partial", "the output", ("record", "--ablations", "ours", "--out", "out.jsonl")),
        ("small.baseline.jsonl", "the committed baseline", ("baseline", "accept", "--reason", "try")),
        ("small.json", "the fixture", ("doctor",)),
    ],
)
def test_what_a_process_says_on_stderr_is_added_to_no_file_of_the_gate(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
    log: str,
    what: str,
) -> None:
    gate = _small(tmp_path, RUN)
    config = tmp_path / "retrieval-gate.toml"
    ours = f'[[ablations]]\nid = "ours"\nretriever = "exec:python3 -V"\nexec = {{ stderr = "{log}" }}\n'
    config.write_text(config.read_text(encoding="utf-8") + ours, encoding="utf-8")
    monkeypatch.chdir(gate.workspace)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    assert run([*command]) == ExitCode.BAD_INPUT
    assert f"what ablation ours writes to stderr would be added to {what}" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_stderr_of_an_ablation_that_is_not_chosen_does_not_matter(tmp_path: Path) -> None:
    gate = _small(tmp_path, RUN)
    config = tmp_path / "retrieval-gate.toml"
    ours = '[[ablations]]\nid = "ours"\nretriever = "exec:python3 -V"\nexec = { stderr = "small.json" }\n'
    config.write_text(config.read_text(encoding="utf-8") + ours, encoding="utf-8")

    assert gate.run("run", "--ablations", "mine", "--allow-missing-baseline").code == ExitCode.PASS


def test_of_several_ablations_one_must_be_chosen(tmp_path: Path) -> None:
    ran = workspace(tmp_path).run("record", "--out", "a.jsonl")
    assert ran.code == ExitCode.BAD_INPUT
    assert "[several-ablations]" in ran.err
    assert "hybrid-rerank" in ran.err


def test_held_out_queries_are_told_of_since_the_file_names_them(tmp_path: Path) -> None:
    gate = _small(tmp_path, RUN)
    apart = {"queries": [sound()["queries"][2] | {"id": "q-apart", "split": "heldout"}]}
    (tmp_path / "apart.json").write_bytes(encoded(apart))
    (tmp_path / "answers").write_text(RUN + "q-apart Q0 cha-1 1 1 t\n", encoding="utf-8")
    ran = gate.run("record", "--out", "made.jsonl", "--held-out", "apart.json")

    assert ran.code == 0, ran.err
    assert "1 of the fixture's queries are held out" in ran.err
    assert "q-apart" not in ran.err
