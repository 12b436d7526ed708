"""Learning to withstand attacks from a few examples: episodes, their loss, and steps through a step."""
