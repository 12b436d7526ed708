"""Suite dd-ranking: its parameters, and one question per file, with its rows, tables and figures."""
