"""Tables: their values and columns, and how they become text, files and JSON."""
