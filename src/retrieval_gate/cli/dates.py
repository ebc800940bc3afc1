"""A date as it is typed: in one form, as what another form means hangs on where it is read."""

from __future__ import annotations

from datetime import date

import click

from retrieval_gate.base.errors import UsageError

FORM = "YYYY-MM-DD"


def parse_date(text: str, name: str) -> date:
    """The date that the option or input `name` gives; raises UsageError for any other form."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.isoformat() != text:
        raise UsageError(
            "bad-date",
            f"{name} is not a date of the form {FORM}",
            fix="write year, month and day with hyphens, e.g. 2026-03-01 for the first of March",
        )
    return found


def date_option(_context: click.Context, option: click.Parameter, value: str | None) -> date | None:
    """The callback of an option that takes a date; an empty value is none."""
    return parse_date(value, option.opts[0]) if value else None
