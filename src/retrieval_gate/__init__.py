"""Retrieval Gate: a CI gate for retrieval."""

__version__ = "0.1.0"
