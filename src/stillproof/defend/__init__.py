"""Defences: adversarial training, one per file."""
