"""Presets: the published parameters of a component for each data set and size, as a table that can be printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Scale = Literal["smoke", "quick", "paper"]
SCALES: tuple[Scale, ...] = ("smoke", "quick", "paper")


@dataclass(frozen=True, slots=True)
class Preset:
    """Parameters for one scale, narrowed to some data sets or to a range of images per class."""

    scale: Scale
    params: Mapping[str, Any] = field(default_factory=dict)
    datasets: tuple[str, ...] = ()
    min_ipc: int = 1
    max_ipc: int | None = None

    def fits(self, scale: str, dataset: str, ipc: int) -> bool:
        """Say whether this preset speaks of the given case."""
        in_range = self.min_ipc <= ipc and (self.max_ipc is None or ipc <= self.max_ipc)
        return self.scale == scale and in_range and (not self.datasets or dataset in self.datasets)


def preset_params(component: type, scale: str, dataset: str, ipc: int) -> dict[str, Any]:
    """Merge the presets of ``component`` that fit; a later row of its table overrides an earlier one."""
    merged: dict[str, Any] = {}
    for preset in getattr(component, "presets", ()):
        if preset.fits(scale, dataset, ipc):
            merged |= preset.params
    return merged
