"""Run a command beside a throw-away PostgreSQL: python postgres/serve.py retrieval-gate run …

The server comes from the `pgserver` wheel, listens on a socket in a temporary folder, and ends with the command.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pgserver
import psycopg

with tempfile.TemporaryDirectory(prefix="help-desk-") as folder:
    server = pgserver.get_server(folder, cleanup_mode="stop")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as owner:
            owner.execute("CREATE ROLE app LOGIN")
            owner.execute(Path(__file__).with_name("schema.sql").read_text(encoding="utf-8"))
        sys.exit(subprocess.run(sys.argv[1:], env=os.environ | {"HELP_DESK_DSN": server.get_uri()}).returncode)
    finally:
        server.cleanup()
