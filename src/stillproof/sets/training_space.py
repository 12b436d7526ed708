"""The space that networks see which are trained on a distilled set."""

from __future__ import annotations

from stillproof.core.types import DataInfo, Distilled, Space


def training_space(distilled: Distilled, info: DataInfo) -> Space:
    """Return the space that the set's images are in; those in pixels are normalised first, as the data set is."""
    return Space.normalised(info) if distilled.space.kind == "pixels" else distilled.space
