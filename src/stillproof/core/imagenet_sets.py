"""ImageNet and its subsets, for which methods have presets in common."""

from __future__ import annotations

SUBSETS = ("imagenette", "imagewoof", "imagemeow", "imagesquawk", "imagefruit", "imageyellow")
IMAGENET = ("imagenet", *SUBSETS)
