"""Changes of images: normalisation, whitening and augmentations, one a file."""
