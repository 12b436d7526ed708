"""Scores: pure functions on numbers."""
