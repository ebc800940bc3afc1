"""Run a command beside the server, which ends with it: python fastapi-sqlite/serve.py retrieval-gate run …"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading

import uvicorn
from app import app

# The port that retrieval-gate.toml names. It listens from here on: what is asked before the server is up waits.
with socket.create_server(("127.0.0.1", 18765)) as listening:
    # asyncio sets this on sockets that it makes itself; without it each answer waits 40 ms for an acknowledgement.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        status = subprocess.run(sys.argv[1:], check=False).returncode
    finally:
        server.should_exit = True
        thread.join()
sys.exit(status)
