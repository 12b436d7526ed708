"""Tools for those who work on Stillproof itself."""
