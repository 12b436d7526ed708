"""Draws figures with matplotlib: one kind per file, values of ``report.figures`` in, a matplotlib figure out."""
