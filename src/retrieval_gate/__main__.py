"""`python -m retrieval_gate` is the same program as `retrieval-gate`."""

from retrieval_gate.cli import main

if __name__ == "__main__":
    main()
