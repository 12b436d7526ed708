"""The command line, one file per verb: only parsing and printing."""
