"""From names to components, and to what names them in specs; answers are kept, since a plan asks thousands of times."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stillproof.core.components import defences, distillers, networks, objectives
from stillproof.core.errors import BadInput
from stillproof.core.given_params import given_params
from stillproof.core.number_text import with_fractions
from stillproof.core.presets import preset_params
from stillproof.core.reference import parse_reference
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo, Distiller, ImageSet, Split
from stillproof.data.load import load
from stillproof.nets.build import build_network, forward_flops, has_batch_norm
from stillproof.nets.home_network import network_called
from stillproof.nets.network_size import NetworkSize, network_size
from stillproof.train.recipe import Recipe, check_plain
from stillproof.train.recipe_for import recipe_for

# What decides numbers besides the images of a data set; its licence and the names of its classes do not.
DECIDING = ("channels", "size", "num_classes", "mean", "std")


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What a plan needs to know of a split."""

    id: str
    info: DataInfo
    smallest: int  # images in the smallest class
    total: int

    def info_spec(self) -> Json:
        """Return the part of the description that enters a spec."""
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
        """Return a distiller with the preset for this case, and what names it."""
        key = ("method", reference, scale, dataset, ipc)
        if key not in self._known:
            name, given = parse_reference(reference)
            preset = preset_params(distillers.get(name), scale, dataset, ipc, distillers.entry(name))
            method = distillers.build(name, {**preset, **given})
            self._known[key] = method, distillers.identity(method)
        method, spec = self._known[key]
        return method, spec

    def network_name(self, reference: str, info: DataInfo) -> str:
        """Return what a network is called; ``home`` is the one for images of that size."""
        return network_called(reference, info.size)

    def network(self, reference: str, info: DataInfo) -> tuple[Json, float]:
        """Return what names a network, and the work of one image's forward pass."""
        key = ("network", reference, info)
        if key not in self._known:
            network = networks.build(self.network_name(reference, info))
            flops = forward_flops(network, info.channels, info.size, info.num_classes)
            self._known[key] = networks.identity(network), float(flops)
        spec, flops = self._known[key]
        return spec, flops

    def network_size(self, reference: str, info: DataInfo) -> NetworkSize:
        """Return how large a network is."""
        key = ("size", reference, info)
        if key not in self._known:
            network = networks.build(self.network_name(reference, info))
            self._known[key] = network_size(network, info.channels, info.size, info.num_classes)
        size: NetworkSize = self._known[key]
        return size

    def has_batch_norm(self, reference: str, info: DataInfo) -> bool:
        """Say whether a network has batch norms."""
        key = ("norms", reference, info)
        if key not in self._known:
            network = networks.build(self.network_name(reference, info))
            self._known[key] = has_batch_norm(build_network(network, info, Seeds(0), "cpu"))
        return bool(self._known[key])

    def recipe(self, reference: str, dataset: str = "") -> tuple[Recipe, Json]:
        """Return a recipe, as it is on a data set, and its part of a spec: its values, since names decide nothing."""
        key = ("recipe", reference, dataset)
        if key not in self._known:
            recipe = recipe_for(reference, dataset)
            check_plain(recipe, reference)
            self._known[key] = recipe, given_params(recipe, Recipe)
        recipe, spec = self._known[key]
        return recipe, spec

    def epoch_passes(self, recipe: Recipe) -> float:
        """Return the forward passes that an image costs in an epoch; going backward costs two."""
        key = ("epoch", recipe.objective)
        if key not in self._known:
            # By name: what trains is no part of the cells that only plan.
            self._known[key] = 3.0 * getattr(objectives.build(recipe.objective), "passes", 1.0)
        return float(self._known[key])

    def defence(self, reference: str, info: DataInfo) -> tuple[Json, float]:
        """Return a defence's part of a spec, and how many times the work of the recipe's objective it takes."""
        key = ("defence", reference, info)
        if key not in self._known:
            name, given = parse_reference(reference)
            defence = defences.build(name, with_fractions(given))  # by name, as objectives are
            if not hasattr(defence, "check"):
                raise BadInput(f"defence {reference!r} is no subclass of stillproof.plugin.Defence.")
            defence.check(info)
            self._known[key] = {"defence": defences.identity(defence)}, float(defence.passes)
        spec, passes = self._known[key]
        return spec, passes


def _measure(data: ImageSet) -> DataFacts:
    counts = data.labels.bincount(minlength=data.num_classes)
    return DataFacts(data.id, data.info, int(counts.min()), len(data))
