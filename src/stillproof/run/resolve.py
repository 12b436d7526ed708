"""From names to components and their specs; asked thousands of times by a plan, answered once each."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stillproof.core.components import distillers, networks, recipes, references_of
from stillproof.core.presets import preset_params
from stillproof.core.reference import parse_reference
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo, Distiller, ImageSet, Split
from stillproof.data.load import load
from stillproof.nets.build import forward_flops
from stillproof.train.recipe import Recipe, check_plain

# What of a data set decides numbers besides its images; its licence and the names of its classes do not.
DECIDING = ("channels", "size", "num_classes", "mean", "std")


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What a plan needs to know of a split."""

    id: str
    info: DataInfo
    smallest: int  # images in the smallest class
    total: int

    def info_spec(self) -> Json:
        """Return what of the description enters a spec."""
        return {name: value for name, value in dataclasses.asdict(self.info).items() if name in DECIDING}


@dataclass
class Resolver:
    """One plan's answers."""

    root: Path
    _known: dict[Any, Any] = field(default_factory=dict)

    def data(self, dataset: str, split: Split) -> DataFacts:
        """Return what a plan needs to know of a split."""
        key = ("data", dataset, split)
        if key not in self._known:
            self._known[key] = _measure(load(dataset, split, self.root))
        facts: DataFacts = self._known[key]
        return facts

    def method(self, reference: str, scale: str, dataset: str, ipc: int) -> tuple[Distiller, Json]:
        """Return a distiller with the preset for this case, and its spec."""
        key = ("method", reference, scale, dataset, ipc)
        if key not in self._known:
            name, given = parse_reference(reference)
            preset = preset_params(distillers.get(name), scale, dataset, ipc)
            method = distillers.build(name, {**preset, **given})
            self._known[key] = method, distillers.spec(method).as_dict()
        method, spec = self._known[key]
        return method, spec

    def network(self, reference: str, info: DataInfo) -> tuple[Json, float]:
        """Return a network's spec, and the work of one image's forward pass."""
        key = ("network", reference, info)
        if key not in self._known:
            network = networks.build(reference)
            flops = forward_flops(network, info.channels, info.size, info.num_classes)
            self._known[key] = networks.spec(network).as_dict(), float(flops)
        spec, flops = self._known[key]
        return spec, flops

    def recipe(self, reference: str) -> tuple[Recipe, Json]:
        """Return a recipe and its part of a spec: by value, since its name decides nothing."""
        key = ("recipe", reference)
        if key not in self._known:
            recipe: Recipe = recipes.build(reference)
            check_plain(recipe, reference)
            params = recipes.spec(recipe).as_dict()["params"]
            self._known[key] = recipe, {"recipe": params, "augment": None, **_referred(recipe)}
        recipe, spec = self._known[key]
        return recipe, spec


def _referred(component: Any) -> Json:
    """Return the specs of the components that a component's parameters refer to, by parameter."""
    found: Json = {}
    for key, (registry, reference) in references_of(component).items():
        inner = registry.build(reference)
        found[key] = registry.spec(inner).as_dict() | {"uses": _referred(inner)}
    return found


def _measure(data: ImageSet) -> DataFacts:
    counts = data.labels.bincount(minlength=data.num_classes)
    return DataFacts(data.id, data.info, int(counts.min()), len(data))
