"""Attacks on models, one per file."""
