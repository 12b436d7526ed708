"""Other people's distilled sets and models: one module per format, and one for those that are nobody's own."""
