"""Suite dc-bench: its parameters, and one question per file, with its rows, tables and figures."""
