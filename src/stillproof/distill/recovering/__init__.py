"""What methods share that recover images from the statistics of a trained network."""
