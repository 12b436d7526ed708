"""Data sets, one a file: each reads the official files or a plain .npz and names itself by content."""
