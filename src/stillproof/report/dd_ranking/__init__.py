"""Tables and figures of suite dd-ranking: pure functions of answered rows, one section per file."""
