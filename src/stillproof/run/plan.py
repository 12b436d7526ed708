"""From requests to cells: names are resolved, specs hashed, equal questions asked once, in the order of need."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stillproof.core.components import augmentations, distillers, networks, recipes
from stillproof.core.errors import BadInput
from stillproof.core.presets import preset_params
from stillproof.core.registry import parse_reference
from stillproof.core.source import module_hash
from stillproof.core.spec import Json, digest
from stillproof.core.types import DataInfo, Distiller, ImageSet, Split
from stillproof.data.load import load
from stillproof.nets.build import forward_flops
from stillproof.suites.requests import ArtifactRequest, DataRequest, DistillRequest, Row, SelectRequest, TrainRequest
from stillproof.train.recipe import Recipe

SPEC_FORMAT = 1
ZCA_EPS = 0.1  # on eigenvalues of [0, 1] pixels, as all published ZCA sets have it


@dataclass(frozen=True, slots=True)
class Cell:
    """One question.

    ``spec`` decides the answer and names the cell; ``where`` only helps to compute it; ``needs`` are the cells whose
    answers it reads; ``flops`` is the expected work.
    """

    id: str
    stage: str
    spec: Json
    where: Json
    needs: tuple[str, ...]
    flops: float
    label: str


@dataclass
class Planner:
    """Turns requests into cells; a request that was seen before costs nothing."""

    root: Path
    cells: dict[str, Cell] = field(default_factory=dict)
    _known: dict[Any, Cell] = field(default_factory=dict)

    def rows(self, rows: Iterable[Row]) -> list[Json]:
        """Plan the rows of a suite; return them as they are stored, with the cell of each seed."""
        return [{**row.keys, "cells": [self.select(request).id for request in row.requests]} for row in rows]

    def distill(self, request: DistillRequest) -> Cell:
        """Plan a distilled set."""
        if request not in self._known:
            data, info, members, total = self._data(request.data.dataset, request.data.part)
            check_ipc(request.ipc, members, request.data.dataset)
            method, name = _method(request.method, request.scale, info.name, request.ipc)
            network_spec, flops = _network(request.network, info)
            spec = {
                "stage": "distill",
                "format": SPEC_FORMAT,
                "data": data,
                "method": distillers.spec(method).as_dict(),
                "network": network_spec,
                "ipc": request.ipc,
                "seed": request.seed,
            }
            needs: tuple[str, ...] = ()
            if getattr(method, "zca", False):
                needs = (self.zca(request.data).id,)
                spec["zca"] = needs[0]
            passes = getattr(method, "image_passes", lambda *_: 0.0)(total, info.num_classes, request.ipc)
            where = {"dataset": request.data.dataset, "part": request.data.part, "network": request.network}
            label = f"{name} {info.name} ipc {request.ipc} seed {request.seed}"
            self._known[request] = self._cell("distill", spec, where, needs, passes * flops, label)
        return self._known[request]

    def zca(self, request: DataRequest) -> Cell:
        """Plan the whitening of a data set."""
        key = ("zca", request)
        if key not in self._known:
            data, info, _, total = self._data(request.dataset, request.part)
            spec = {"stage": "zca", "format": SPEC_FORMAT, "data": data, "eps": ZCA_EPS}
            spec["source"] = module_hash("stillproof.transforms.zca")
            size = info.channels * info.size**2
            where = {"dataset": request.dataset, "part": request.part}
            flops = 2.0 * total * size**2 + 10.0 * size**3  # covariance and eigenvectors
            self._known[key] = self._cell("zca", spec, where, (), flops, f"whitening of {info.name}")
        return self._known[key]

    def train(self, request: TrainRequest) -> Cell:
        """Plan a training run, and the distilled set that it needs."""
        if request not in self._known:
            dataset = request.on.data.dataset if isinstance(request.on, DistillRequest) else request.on.dataset
            upstream, needs, images, what = self._upstream(request.on)
            test, info, _, tested = self._data(dataset, "test")
            recipe, recipe_spec = _recipe(request.recipe)  # by value: its name decides nothing
            network_spec, flops = _network(request.network, info)
            spec = {
                "stage": "train",
                "format": SPEC_FORMAT,
                "upstream": upstream,
                "test": test,
                "heldout": self._data(dataset, "heldout")[0] if request.heldout else None,
                "network": network_spec,
                **recipe_spec,
                "loop": module_hash("stillproof.train.loop"),
                "seed": request.seed,
            }
            points = sum(recipe.is_measured(epoch) for epoch in range(recipe.epochs))
            work = (3 * recipe.epochs * images + points * tested) * flops
            where = {"dataset": dataset, "network": request.network, "recipe": request.recipe}
            label = f"train {request.network} on {what} seed {request.seed}"
            self._known[request] = self._cell("train", spec, where, needs, work, label)
        return self._known[request]

    def select(self, request: SelectRequest) -> Cell:
        """Plan the choice of an epoch, and the training run that it chooses from."""
        if request not in self._known:
            train = self.train(request.train)
            if request.rule == "heldout" and not request.train.heldout:
                raise BadInput("selection 'heldout' needs a held-out part, which this training run does not have.")
            spec = {"stage": "select", "format": SPEC_FORMAT, "train": train.id, "rule": request.rule}
            spec["source"] = module_hash("stillproof.run.select_cell")
            label = f"{request.rule} epoch of {train.label}"
            self._known[request] = self._cell("select", spec, {}, (train.id,), 0.0, label)
        return self._known[request]

    def _upstream(self, on: DataRequest | DistillRequest | ArtifactRequest) -> tuple[Json, tuple[str, ...], int, str]:
        """Return the upstream of a training run as (spec part, needed cells, number of images, name)."""
        if isinstance(on, DistillRequest):
            cell = self.distill(on)
            classes = self._data(on.data.dataset, on.data.part)[1].num_classes
            return {"cell": cell.id}, (cell.id,), on.ipc * classes, cell.label
        if isinstance(on, ArtifactRequest):
            upstream = {"cell": on.cell} if on.cell else {"artifact": on.artifact}
            return upstream, (), on.images, on.artifact[:12]
        data, info, _, total = self._data(on.dataset, on.part)
        return {"data": data}, (), total, f"full {info.name}"

    def _data(self, dataset: str, split: Split) -> tuple[str, DataInfo, int, int]:
        """Return (id, info, size of the smallest class, number of images) of a split."""
        key = (dataset, split)
        if key not in self._known:
            self._known[key] = _measure(load(dataset, split, self.root))  # type: ignore[assignment]
        return self._known[key]  # type: ignore[return-value]

    def _cell(self, stage: str, spec: Json, where: Json, needs: tuple[str, ...], flops: float, label: str) -> Cell:
        name = digest(spec)
        return self.cells.setdefault(name, Cell(name, stage, spec, {**where, "flops": flops}, needs, flops, label))


def check_ipc(ipc: int, smallest: int, dataset: str) -> None:
    """Refuse a number of images per class that the data set cannot give."""
    if ipc < 1:
        raise BadInput(f"ipc = {ipc} is not allowed: at least 1 image per class is needed.")
    if ipc > smallest:
        raise BadInput(f"ipc = {ipc} is not allowed: the smallest class of {dataset} has {smallest} images.")


def _measure(data: ImageSet) -> tuple[str, DataInfo, int, int]:
    counts = data.labels.bincount(minlength=data.num_classes)
    return data.id, data.info, int(counts.min()), len(data)


@functools.lru_cache(maxsize=1024)
def _method(reference: str, scale: str, dataset: str, ipc: int) -> tuple[Distiller, str]:
    name = reference.partition(":")[0]
    preset = preset_params(distillers.get(name), scale, dataset, ipc)
    given = parse_reference(reference)[1]
    return distillers.build(name, {**preset, **given}), reference


@functools.lru_cache(maxsize=1024)
def _network(reference: str, info: DataInfo) -> tuple[Json, float]:
    network = networks.build(reference)
    flops = forward_flops(network, info.channels, info.size, info.num_classes)
    return networks.spec(network).as_dict(), float(flops)


@functools.lru_cache(maxsize=1024)
def _recipe(reference: str) -> tuple[Recipe, Json]:
    recipe: Recipe = recipes.build(reference)
    augment = None if recipe.augment == "none" else augmentations.spec(augmentations.build(recipe.augment)).as_dict()
    return recipe, {"recipe": recipes.spec(recipe).as_dict()["params"], "augment": augment}
