"""Presets: the published parameters of a component for each data set and size, as a table that can be printed."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from stillproof.core.index import Entry

Scale = Literal["smoke", "quick", "paper"]
SCALES: tuple[Scale, ...] = ("smoke", "quick", "paper")


@dataclass(frozen=True, slots=True)
class Preset:
    """Parameters for one scale, narrowed to some data sets, to a range of images per class, or to short names."""

    scale: Scale
    params: Mapping[str, Any] = field(default_factory=dict)
    datasets: tuple[str, ...] = ()
    min_ipc: int = 1
    max_ipc: int | None = None
    names: tuple[str, ...] = ()

    def fits(self, scale: str, dataset: str, ipc: int) -> bool:
        """Say whether this preset speaks of the given case."""
        in_range = self.min_ipc <= ipc and (self.max_ipc is None or ipc <= self.max_ipc)
        return self.scale == scale and in_range and (not self.datasets or dataset in self.datasets)


def presets_of(component: type, called: Entry | None = None) -> list[Preset]:
    """Return the presets that hold for a component; a short name that it is called by changes them.

    Such a name settles some parameters, whatever the presets of its family say; only those that are narrowed to this
    very name override it, and they come last.
    """
    known: Sequence[Preset] = getattr(component, "presets", ())
    settled = called.fixed if called else {}
    shared = [replace(preset, params=_without(preset.params, settled)) for preset in known if not preset.names]
    return shared + [preset for preset in known if called and called.name in preset.names]


def preset_params(component: type, scale: str, dataset: str, ipc: int, called: Entry | None = None) -> dict[str, Any]:
    """Merge the presets of ``component`` that fit; a later row of its table overrides an earlier one."""
    merged: dict[str, Any] = {}
    for preset in presets_of(component, called):
        if preset.fits(scale, dataset, ipc):
            merged |= preset.params
    return merged


def _without(params: Mapping[str, Any], keys: Container[str]) -> dict[str, Any]:
    return {key: value for key, value in params.items() if key not in keys}
