"""One schema change per file, oldest first."""
