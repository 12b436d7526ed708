"""Tables and figures of suite dc-bench: pure functions of answered rows, one section per file."""
