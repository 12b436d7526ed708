"""What methods that learn images share: where they start, the loop, what they compare."""
