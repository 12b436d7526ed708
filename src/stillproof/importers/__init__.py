"""Other people's distilled sets and models: one file format per module."""
