"""Ways to work on a plan: in this process, or in several."""
