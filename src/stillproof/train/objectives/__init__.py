"""The built-in objectives, one per file."""
