"""Data sets, one per file: each reads the official files or a plain .npz and names itself by content."""
