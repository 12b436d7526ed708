"""What a distiller runs in: seeds, space, front, networks and teachers, from the spec of its cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from torch import Tensor, nn

from stillproof.core.components import distillers, networks
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import Card, Distiller, ImageSet, Taught
from stillproof.nets.build import build_network, forward_flops
from stillproof.run.expert_weights import Experts
from stillproof.run.spaces import space_of
from stillproof.run.stage import Job
from stillproof.run.trained_models import last_model, read_of_training, read_trained
from stillproof.sets.fronts import front_of
from stillproof.sets.teachers import taught_by


def method_of(spec: Json) -> Distiller:
    """Return the distiller that a spec names."""
    return distillers.rebuild(spec["method"])


def make_context(job: Job, spec: Json, data: ImageSet) -> Context:
    """Return the context of the distillation that ``spec`` asks for; everything here decides its result."""
    method, device = distillers.spec(method_of(spec)), job.device
    network = networks.rebuild(spec["network"]) if spec["network"] else None
    card = Card(
        method=method.name,
        version=method.version,
        params=method.as_dict()["params"],
        dataset=job.where["dataset"],
        data_id=data.id,
        ipc=spec["ipc"],
        seed=spec["seed"],
        network=networks.reference(network) if network else "none",
        licence=data.info.licence,
        bytes=0,
    )
    space = space_of(spec, data.info, job.store)
    ctx = job.context(Seeds(spec["seed"]).child("distill", method.name))
    ctx.card, ctx.space, ctx.front = card, space, front_of(space, job.store).to(device)
    ctx.experts = Experts(spec.get("experts", ()), job.store)
    ctx.embedding = Experts(spec.get("embedding", ()), job.store)
    teachers = Teachers(spec.get("teachers", ()), job)
    ctx.teachers = teachers
    if teachers:
        ctx.taught = teachers.taught
    if network:
        ctx.networks = lambda seeds: build_network(network, data.info, seeds, device)
        ctx.forward_flops = forward_flops(network, data.info.channels, data.info.size, data.num_classes)
    return ctx


class Teachers(Sequence[nn.Module]):
    """The models whose answers a distiller uses, read from the store when they are asked for, and then kept."""

    def __init__(self, cells: Sequence[str], job: Job) -> None:
        """Name the training cells."""
        self.cells, self.job = cells, job
        self._read = lru_cache(maxsize=None)(lambda cell: read_trained(cell, job).model)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.cells)

    def __getitem__(self, number: int) -> nn.Module:  # type: ignore[override]
        """Return one model, ready to be asked: its weights are frozen, its norms have the statistics of training."""
        return self._read(self.cells[number]).eval().requires_grad_(False)

    def taught(self, classes: Tensor) -> Taught:
        """Return labels that these models give: whoever trains on the set needs them too."""
        stored = [read_of_training(self.job.store, last_model(cell, self.job)) for cell in self.cells]
        return taught_by(classes, stored, self.job.store)
