"""Attacks as BEARD makes them, so that its published numbers come out: what is wrong with them stays wrong."""
