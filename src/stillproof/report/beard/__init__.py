"""Tables and figures of suite beard, one file per question."""
