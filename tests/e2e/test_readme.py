"""What the README shows is what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.gate import ROOT, Gate, Ran, with_fault
from tests.e2e.test_red import WITHHELD

README = (ROOT / "README.md").read_text(encoding="utf-8")


def _block(first: str) -> str:
    """The code block that begins with `first`, as it stands."""
    blocks: list[str] = re.findall(r"^```\w*\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    (block,) = (block for block in blocks if block.startswith(first))
    return block


def test_the_passing_run_is_shown_as_it_is(committed_run: tuple[Gate, Ran]) -> None:
    assert committed_run[1].out.startswith(_block("PASSED"))


@pytest.mark.once
def test_the_failure_is_shown_as_it_is(tmp_path: Path) -> None:
    """The README's failure is what a retriever gives that withholds one relevant chunk."""
    file, old, new = WITHHELD
    ran = with_fault(tmp_path, file=file, old=old, new=new).run("run", "--quiet")
    assert _block(" 1. ") in ran.out


def test_every_file_that_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
