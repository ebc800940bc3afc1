"""Ids in what a retriever prints or logs are seen; words that merely hold one are not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

WATCH = """
import json, logging, os, sys
from pathlib import Path
from retrieval_gate.scenarios.log_watch import LogWatch
answer = os.dup(1)
watch = LogWatch(Path(sys.argv[1]))
ids = frozenset({"fee#0", "fee#1", "k"})
seen = [watch.named(ids)]
exec(sys.argv[2])
seen.append(watch.named(ids))
seen.append(watch.named(ids))
os.write(answer, json.dumps(seen).encode())
"""


def _seen(folder: Path, code: str) -> list[list[str]]:
    ran = subprocess.run([sys.executable, "-c", WATCH, str(folder / "log"), code], capture_output=True, check=True)
    seen: list[list[str]] = json.loads(ran.stdout)
    return seen


@pytest.mark.parametrize(
    "code",
    [
        "logging.getLogger('engine').debug('candidates %s', ['fee#0', 'other#1'])",
        "print('served: fee#0, other#1.')",
        'sys.stderr.write(\'{"id":"fee#0"}\')',
        "os.system('echo fee#0')",
        "print('a,fee#0,b')",
        "print('id=fee#0')",
        "logging.warning('(fee#0)')",
    ],
)
def test_an_id_that_is_printed_or_logged_is_seen_once(tmp_path: Path, code: str) -> None:
    assert _seen(tmp_path, code) == [[], ["fee#0"], []]


@pytest.mark.parametrize("code", ["print('fee#01 coffee#0 xfee#0')", "print('knock on')", "pass"])
def test_a_word_that_holds_an_id_is_none(tmp_path: Path, code: str) -> None:
    assert _seen(tmp_path, code) == [[], [], []]
