"""Where results and artifacts are kept."""
