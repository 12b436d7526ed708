"""Figures of suites: one kind per file, plain data in, a matplotlib figure out."""
