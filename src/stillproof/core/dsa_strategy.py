"""The changes that DSA chooses from, by data set: its authors do not mirror digits, whose mirror images are others."""

from __future__ import annotations

from stillproof.core.presets import SCALES, Preset

WITH_FLIP = "color_crop_cutout_flip_scale_rotate"
WITHOUT_FLIP = "color_crop_cutout_scale_rotate"
DIGIT_SETS = ("mnist", "svhn", "digits")

# For methods with a parameter ``strategy``, whose default is WITH_FLIP.
NO_MIRRORED_DIGITS = tuple(Preset(scale, {"strategy": WITHOUT_FLIP}, DIGIT_SETS) for scale in SCALES)


def strategy_for(dataset: str) -> str:
    """Return the strategy of DSA's authors for a data set."""
    return WITHOUT_FLIP if dataset in DIGIT_SETS else WITH_FLIP
