"""Suite dc-bench: its parameters, and the rows of one section per file."""
