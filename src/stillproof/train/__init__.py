"""Training a network on real or distilled images."""
