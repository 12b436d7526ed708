"""From requests to cells: names are resolved, specs hashed, equal questions asked once, in the order of need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from stillproof.core.errors import BadInput
from stillproof.core.source import file_hash, module_hash
from stillproof.core.spec import Json, digest
from stillproof.distill.grid import images_each
from stillproof.run.resolve import Resolver
from stillproof.suites.requests import ArtifactRequest, DataRequest, DistillRequest, Row, SelectRequest, TrainRequest

SPEC_FORMAT = 1
ZCA_EPS = 0.1  # on eigenvalues of [0, 1] pixels, as all published ZCA sets have it
# What cells run through besides the components that they name: of these with all that they import ...
SHARED = ("stillproof.nets.build", "stillproof.transforms.space", "stillproof.transforms.kip_zca")
# ... and of these the file alone, since they import the store, which decides no number.
DISTILLING = ("stillproof.run.distill_context", "stillproof.run.zca_cell")
EXPERT = ("stillproof.run.expert_cell", "stillproof.run.zca_cell")
TRAINING = ("stillproof.run.train_cell", "stillproof.run.training_data", "stillproof.run.zca_cell")

Request = DataRequest | DistillRequest | TrainRequest | SelectRequest


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


@dataclass(frozen=True, slots=True)
class Upstream:
    """What a training run trains on: its part of the spec, the cell that makes it, its size and its name."""

    spec: Json
    needs: tuple[str, ...]
    images: int
    label: str


class Planner:
    """Turns requests into cells; a request that was seen before costs nothing."""

    def __init__(self, root: Path) -> None:
        """Plan for the data sets below ``root``."""
        self.cells: dict[str, Cell] = {}
        self._names = Resolver(root)
        self._known: dict[Request, Cell] = {}

    def rows(self, rows: Iterable[Row]) -> list[Json]:
        """Plan the rows of a suite; return them as they are stored, with the cell of each seed."""
        return [{**row.keys, "cells": [self.select(request).id for request in row.requests]} for row in rows]

    def zca(self, request: DataRequest, variant: str = "usual") -> Cell:
        """Plan the whitening of a data set; ``variant`` is one of ``stillproof.run.zca_cell.WHITENINGS``."""
        data = self._names.data(request.dataset, request.part)
        spec = {"stage": "zca", "format": SPEC_FORMAT, "data": data.id, "eps": ZCA_EPS}
        spec["source"] = module_hash("stillproof.transforms.zca")
        if variant != "usual":
            spec |= {"variant": variant, "source": module_hash(f"stillproof.transforms.{variant}_zca")}
        size = data.info.channels * data.info.size**2
        where = {"dataset": request.dataset, "part": request.part}
        flops = 2.0 * data.total * size**2 + 10.0 * size**3  # covariance and eigenvectors
        return self._cell("zca", spec, where, (), flops, f"whitening of {data.info.name}")

    def distill(self, request: DistillRequest) -> Cell:
        """Plan a distilled set."""
        if request not in self._known:
            data = self._names.data(request.data.dataset, request.data.part)
            method, method_spec = self._names.method(request.method, request.scale, data.info.name, request.ipc)
            each = getattr(method, "images_each", lambda ipc: ipc)(request.ipc)
            check_ipc(request.ipc, each, data.smallest, request.data.dataset)
            network, flops = self._names.network(request.network, data.info)
            spec = {
                "stage": "distill",
                "format": SPEC_FORMAT,
                "data": data.id,
                "info": data.info_spec(),
                "method": method_spec,
                "network": network if getattr(method, "needs_network", True) else None,
                "ipc": request.ipc,
                "seed": request.seed,
                "path": [*map(file_hash, DISTILLING), *map(module_hash, SHARED)],
            }
            variant = getattr(method, "whitening", "usual")
            zca = self.zca(request.data, variant) if getattr(method, "zca", False) else None
            experts = self._experts(request, getattr(method, "needs_experts", None), zca)
            if zca:
                spec["zca"] = zca.id
            if experts:
                spec["experts"] = experts
            needs = (*([zca.id] if zca else []), *experts)
            passes = getattr(method, "image_passes", lambda *_: 0.0)(data.total, data.info.num_classes, request.ipc)
            where = {"dataset": request.data.dataset, "part": request.data.part, "network": request.network}
            label = f"{request.method} {data.info.name} ipc {request.ipc} seed {request.seed}"
            self._known[request] = self._cell("distill", spec, where, needs, passes * flops, label)
        return self._known[request]

    def _experts(self, request: DistillRequest, wanted: tuple[int, str] | None, zca: Cell | None) -> list[str]:
        """Plan the networks whose training a distiller follows; sets of all seeds learn from the same ones."""
        if wanted is None:
            return []
        count, reference = wanted
        data = self._names.data(request.data.dataset, request.data.part)
        recipe, recipe_spec = self._names.recipe(reference)
        network, flops = self._names.network(request.network, data.info)
        spec = {
            "stage": "expert",
            "format": SPEC_FORMAT,
            "data": data.id,
            "info": data.info_spec(),
            "network": network,
            **recipe_spec,
            "path": [*map(file_hash, EXPERT), *map(module_hash, (*SHARED, "stillproof.train.loop"))],
        }
        if zca:
            spec["zca"] = zca.id
        where = {"dataset": request.data.dataset, "part": request.data.part}
        work = 3.0 * recipe.epochs * data.total * flops
        needs = (zca.id,) if zca else ()
        label = f"expert {request.network} on {data.info.name} seed"
        cells = [self._cell("expert", spec | {"seed": s}, where, needs, work, f"{label} {s}") for s in range(count)]
        return [cell.id for cell in cells]

    def train(self, request: TrainRequest) -> Cell:
        """Plan a training run, and the distilled set that it needs."""
        if request not in self._known:
            on = request.on
            dataset = on.data.dataset if isinstance(on, DistillRequest) else on.dataset
            part = on.part if isinstance(on, DataRequest) else None
            upstream = self._upstream(on)
            test = self._names.data(dataset, "test")
            recipe, recipe_spec = self._names.recipe(request.recipe)
            network, flops = self._names.network(request.network, test.info)
            spec = {
                "stage": "train",
                "format": SPEC_FORMAT,
                "upstream": upstream.spec,
                "test": test.id,
                "heldout": self._names.data(dataset, "heldout").id if request.heldout else None,
                "info": test.info_spec(),
                "network": network,
                **recipe_spec,
                "path": [*map(file_hash, TRAINING), *map(module_hash, (*SHARED, "stillproof.train.loop"))],
                "seed": request.seed,
            }
            points = sum(recipe.is_measured(epoch) for epoch in range(recipe.epochs))
            work = (3 * recipe.epochs * upstream.images + points * test.total) * flops
            where = {"dataset": dataset, "part": part, "network": request.network, "recipe": request.recipe}
            label = f"train {request.network} on {upstream.label} seed {request.seed}"
            self._known[request] = self._cell("train", spec, where, upstream.needs, work, label)
        return self._known[request]

    def select(self, request: SelectRequest) -> Cell:
        """Plan the choice of an epoch, and the training run that it chooses from."""
        if request not in self._known:
            train = self.train(request.train)
            if request.rule == "heldout" and not request.train.heldout:
                raise BadInput("selection 'heldout' needs a held-out part, which this training run does not have.")
            spec = {"stage": "select", "format": SPEC_FORMAT, "train": train.id, "rule": request.rule}
            spec["path"] = [file_hash("stillproof.run.select_cell")]
            label = f"{request.rule} epoch of {train.label}"
            self._known[request] = self._cell("select", spec, {}, (train.id,), 0.0, label)
        return self._known[request]

    def _upstream(self, on: DataRequest | DistillRequest | ArtifactRequest) -> Upstream:
        if isinstance(on, DistillRequest):
            cell = self.distill(on)
            info = self._names.data(on.data.dataset, on.data.part).info
            method, _ = self._names.method(on.method, on.scale, info.name, on.ipc)
            each = images_each(on.ipc, getattr(method, "form", "single"))  # as it is trained on
            return Upstream({"cell": cell.id}, (cell.id,), each * info.num_classes, cell.label)
        if isinstance(on, ArtifactRequest):
            spec = {"cell": on.cell} if on.cell else {"artifact": on.artifact}
            return Upstream(spec, (), on.images, on.artifact[:12])
        data = self._names.data(on.dataset, on.part)
        return Upstream({"data": data.id}, (), data.total, f"full {data.info.name}")

    def _cell(self, stage: str, spec: Json, where: Json, needs: tuple[str, ...], flops: float, label: str) -> Cell:
        name = digest(spec)
        return self.cells.setdefault(name, Cell(name, stage, spec, {**where, "flops": flops}, needs, flops, label))


def check_ipc(ipc: int, each: int, smallest: int, dataset: str) -> None:
    """Refuse a number of images per class that the data set cannot give; ``each`` real ones of a class make them."""
    if ipc < 1:
        raise BadInput(f"ipc = {ipc} is not allowed: at least 1 image per class is needed.")
    if each > smallest:
        why = f"the smallest class of {dataset} has {smallest} images"
        needed = "" if each == ipc else f", and this method needs {each}"
        raise BadInput(f"ipc = {ipc} is not allowed: {why}{needed}.")
