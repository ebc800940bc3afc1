"""The command line. Imports stay late: `--help` must start fast."""


def main() -> None:
    raise SystemExit("not yet")
