"""Changes of images: normalisation, whitening and augmentations, one per file."""
