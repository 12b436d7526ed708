"""The rows of suite dc-bench, one section a file."""
