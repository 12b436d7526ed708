"""What a session can do, one theme per file."""
