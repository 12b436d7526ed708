"""Networks, one family a file."""
