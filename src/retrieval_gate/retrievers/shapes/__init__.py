"""The shapes of answers that other retrievers give: one file per shape, one row in `retrievers.fields`."""
