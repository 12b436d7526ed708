"""Other people's distilled sets: one file format a module."""
