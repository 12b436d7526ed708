"""What matching of training trajectories consists of."""
