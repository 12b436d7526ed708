"""Suite report-card: every side of a distilled set, from one command."""
