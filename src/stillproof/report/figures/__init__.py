"""Figures of suites: one kind a file, plain data in, a matplotlib figure out."""
