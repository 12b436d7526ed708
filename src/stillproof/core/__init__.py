"""Types, names, seeds and errors that every other part stands on; nothing here imports torch when it is loaded."""
