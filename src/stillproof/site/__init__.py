"""The static site: leaderboards, methods and findings as pages that work from a folder."""
