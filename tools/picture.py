"""A picture of a job summary for the README: `python3 dev.py picture`, by hand, on a machine with Chromium.

It needs a font with colour emoji too, as Debian's fonts-noto-color-emoji. The summary is rendered to HTML and
photographed in a headless browser, which is found on the PATH. A report of the tests stands in for a run: its ids
are made up, and nothing of a machine is in the picture.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt

from retrieval_gate.report.outputs.style import PLAIN
from retrieval_gate.report.outputs.summary import render
from retrieval_gate.report.report import Report
from tests.report.rich import FAILED, NOTES, PASSED, RICH
from tests.report.samples import a_report

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs/images/summary.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH = 1080
# Down to the last failure: what follows are the metrics.
HEIGHT = 830
LARGEST = 150 * 1024
# What a reader should recognise: a leak, a lost chunk, a worse rank, and the mean that fell with them.
SHOWN = ("permission-leak", "relevant-left-cut-off", "rank-worsened", "no-drop")
_PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ font: 15px/1.5 "Noto Sans", "DejaVu Sans", sans-serif; color: #1f2328; margin: 22px; }}
h2 {{ font-size: 23px; border-bottom: 1px solid #d1d9e0; padding-bottom: 6px; margin: 4px 0 12px; }}
h3 {{ font-size: 18px; margin: 18px 0 10px; }}
p {{ margin: 8px 0; }} ul {{ margin: 6px 0; padding-left: 26px; }}
code {{ font: 85% "DejaVu Sans Mono", monospace; background: #eff1f3; border-radius: 5px; padding: 2px 5px; }}
table {{ border-collapse: collapse; margin: 8px 0; }}
td, th {{ border: 1px solid #d1d9e0; padding: 5px 10px; text-align: left; vertical-align: top; }}
tr:nth-child(2n) td {{ background: #f6f8fa; }}
</style>{body}"""


def page(report: Report) -> str:
    """The summary as GitHub lays it out, near enough."""
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(render(report, PLAIN))
    return _PAGE.format(body=body)


def a_failing_run() -> Report:
    """A few failures of the rich report, on a baseline that fits."""
    failed = [verdict for verdict in FAILED if verdict.kind in SHOWN]
    better = [verdict for verdict in NOTES if verdict.kind in ("improved", "query-improved")]
    return a_report(*failed, *PASSED, *better, label="python-3.12")


def photograph(html: str, target: Path) -> None:
    """Write a PNG of the page; raises SystemExit where there is no browser, or the picture is too large."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"no browser on the PATH: install one of {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory() as folder:
        source, shot = Path(folder) / "summary.html", Path(folder) / "summary.png"
        source.write_text(html, encoding="utf-8", newline="\n")
        command = (
            *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-lcd-text"),
            *(f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={shot}"),
        )
        subprocess.run([*command, source.as_uri()], check=True, capture_output=True)
        data = shot.read_bytes()
    if len(data) > LARGEST:
        sys.exit(f"the picture has {len(data)} bytes, above {LARGEST}: show less")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)


def main(arguments: list[str]) -> None:
    """With a path, photograph the whole rich report there instead: to look at, not to keep."""
    target = Path(arguments[0]) if arguments else PICTURE
    photograph(page(RICH if arguments else a_failing_run()), target)
    print(f"{target.name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
