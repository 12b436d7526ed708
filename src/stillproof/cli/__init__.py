"""The command line, one file a verb: only parsing and printing."""
