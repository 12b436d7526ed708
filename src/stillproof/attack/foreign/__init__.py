"""Attacks of other libraries behind the interface of our own: counted, seeded, silent, one image at a time."""
