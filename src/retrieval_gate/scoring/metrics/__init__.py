"""Metrics: one table (`table.FAMILIES`), one formula per file."""
