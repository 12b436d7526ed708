"""Suites: which cells each needs; components are named by string, so nothing here imports torch."""
