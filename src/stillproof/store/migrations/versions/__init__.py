"""One schema change a file, oldest first."""
