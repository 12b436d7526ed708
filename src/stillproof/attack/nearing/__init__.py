"""What minimal-norm attacks share: balls of a radius for each image, and sizes of steps that shrink."""
