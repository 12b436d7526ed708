"""Distillation methods, one a file."""
