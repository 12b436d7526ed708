"""Networks, one family per file."""
