"""The composite action's one step: a virtual environment of the gate's own, then the container's program.

It lies aside the caller's environment: the gate's packages are installed from the hash-pinned lock into a
temporary folder, and the caller's packages are neither changed nor shadowed.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements-runtime.lock"
_ACT = "import sys; sys.path.insert(0, sys.argv[1]); from retrieval_gate.cli.action.main import main; main()"


def main() -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python runs this file, and must be told
        print("::error title=retrieval-gate::The gate needs Python 3.11 or newer: use actions/setup-python first.")
        return 2
    try:
        python = _environment(Path(os.environ.get("RUNNER_TEMP") or tempfile.gettempdir()))
    except (OSError, subprocess.CalledProcessError):  # never exit 1: that is a failed gate, and nothing else
        print(
            "::error title=retrieval-gate::The gate's own environment can not be made: the log says why. It needs "
            "the interpreter's venv and ensurepip, and a package registry that pip reaches."
        )
        return 2
    return subprocess.call([str(python), "-I", "-B", "-c", _ACT, str(ROOT / "src")])


def _environment(folder: Path) -> Path:
    """The interpreter of the gate's environment; made once per lock and Python, and used again in the same job."""
    key = hashlib.sha256(LOCK.read_bytes() + sys.version.encode() + sys.executable.encode()).hexdigest()[:16]
    home = folder / f"retrieval-gate-{key}"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = home / "installed"
    if not done.exists():
        venv.create(home, clear=True, with_pip=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
        subprocess.check_call([str(python), "-I", *install, "--only-binary=:all:", "-r", str(LOCK)])
        done.touch()
    return python


if __name__ == "__main__":
    sys.exit(main())
