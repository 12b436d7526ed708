"""One stage per file: how a question becomes a cell, how it is computed, labelled and estimated."""
