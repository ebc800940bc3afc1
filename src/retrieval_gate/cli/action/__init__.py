"""The GitHub Action: its inputs, what it tells the runner, and its exit code. The same line as `run`."""
