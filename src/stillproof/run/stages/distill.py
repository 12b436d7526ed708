"""A distilled set: data in, artifact out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stillproof.core.components import stages
from stillproof.core.data_title import data_title
from stillproof.core.errors import BadInput
from stillproof.core.needs import Needs, TrainedBefore, needs_of
from stillproof.core.presets import Scale
from stillproof.core.provenance import Meter
from stillproof.core.spec import Json
from stillproof.core.types import Distiller
from stillproof.nets.home_network import HOME
from stillproof.run.cell import Cell, Planned
from stillproof.run.distill_context import make_context, method_of
from stillproof.run.distilled_sets import at_step, check_distilled, cost_up_to, keep_set, set_name
from stillproof.run.expert_weights import READ_AT_ONCE
from stillproof.run.footprint import set_disk, training_memory
from stillproof.run.plan import TooFewImages
from stillproof.run.spaces import constants_of
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.run.stages.data import Data
from stillproof.suites.requests import Request, trained

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

SNAPSHOTS = "snapshots"  # among a cell's hints: the steps that other cells would like to have kept
MOST_LOGGED = 500  # steps in the record


@stages.register("distill", version=1)
@dataclass(frozen=True)
class Distill(Stage):
    """A distilled set, and what it needs: whitenings, experts, teachers.

    Args:
        data: The real images.
        method: The distiller, with parameters where wanted.
        ipc: Images per class.
        seed: Its seed.
        network: The network that it is distilled with.
        scale: Size of the distiller's presets.
    """

    data: Request
    method: str
    ipc: int
    seed: int = 0
    network: str = HOME
    scale: Scale = "paper"

    def plan(self, planner: Planner) -> Planned:
        """Plan the set and what it needs."""
        data = self.source(planner)
        facts = planner.names.data(data.dataset, data.part)
        method, method_spec = self._method(planner)
        needs = needs_of(method)
        check_ipc(self.ipc, needs.real_per_image, facts.smallest, data.dataset)
        network, _ = planner.names.network(self.network, facts.info)
        # Where a method makes no network of its own, its images go through its teacher.
        walked = (needs.teachers.network if needs.teachers and not needs.network else "") or self.network
        cells = self._needed(planner, data, needs)
        spec: Json = {
            "data": facts.id,
            "info": facts.info_spec(),
            "method": method_spec,
            "network": network if needs.network else None,
            "ipc": self.ipc,
            "seed": self.seed,
            **constants_of(needs.normalised_as, facts.info),
            **cells,
        }
        classes, size = facts.info.num_classes, planner.names.network_size(walked, facts.info)
        passes = getattr(method, "image_passes", lambda *_: 0.0)(facts.total, classes, self.ipc)
        held = getattr(method, "images_held", lambda *_: classes * self.ipc if passes else 0)(classes, self.ipc)
        experts = [planner.cells[cell].disk for cell in cells.get("experts", ())][:READ_AT_ONCE]
        return Planned(
            spec=spec,
            label=f"{self.method} {data_title(data.dataset)} ipc {self.ipc} seed {self.seed}",
            needs=tuple(name for found in cells.values() for name in ([found] if isinstance(found, str) else found)),
            flops=passes * planner.names.network(walked, facts.info)[1],
            where={"dataset": data.dataset, "part": data.part},
            images=self.ipc * classes * needs.trained_per_image,
            memory=(training_memory(size, held) if held else 0.0) + sum(experts),
            disk=set_disk(facts.info, self.ipc),
        )

    def source(self, planner: Planner) -> Data:
        """Return the real images that are asked for."""
        found = planner.stage(self.data)
        if not isinstance(found, Data):
            raise BadInput(f"{self.data} is no real data set, and sets are distilled from those.")
        if not found.is_learned_from:
            raise BadInput(f"the {found.part} images of {found.dataset} are kept to judge by: distil from others.")
        return found

    def built(self, planner: Planner) -> Distiller:
        """Return the method with the preset for this case."""
        return self._method(planner)[0]

    def _method(self, planner: Planner) -> tuple[Distiller, Json]:
        data = self.source(planner)
        info = planner.names.data(data.dataset, data.part).info
        return planner.names.method(self.method, self.scale, info.name, self.ipc)

    def _needed(self, planner: Planner, data: Data, needs: Needs) -> dict[str, str | list[str]]:
        """Plan what the method needs; return the cells as the spec names them."""
        found: dict[str, str | list[str]] = {}
        real: dict[str, Any] = {"dataset": data.dataset, "part": data.part}
        whitening = Request("zca", **real, variant=needs.whitening) if needs.whitening else None
        if whitening:
            found["zca"] = planner.plan(whitening).id
        real |= {"whitening": whitening, "normalised_as": needs.normalised_as}
        for key, wanted in (("experts", needs.experts), ("embedding", needs.embedding)):
            if wanted:
                found[key] = [self._expert(planner, wanted, seed, real) for seed in wanted.seeds(self.seed)]
        if needs.teachers:
            network, recipe = needs.teachers.network or self.network, needs.teachers.recipe
            asked = [trained(self.data, network, recipe, seed) for seed in needs.teachers.seeds(self.seed)]
            found["teachers"] = [planner.plan(request).id for request in asked]
        return found

    def _expert(self, planner: Planner, wanted: TrainedBefore, seed: int, real: dict[str, Any]) -> str:
        network = wanted.network or self.network
        return planner.ask("expert", network=network, recipe=wanted.recipe, seed=seed, **real).id

    @staticmethod
    def compute(job: Job) -> Answer:
        """Distil, check what came out and store it; steps that others would like to have are kept on the way."""
        spec = job.spec
        data = job.data(spec["data"], job.where["part"])
        method = method_of(spec)
        ctx = make_context(job, spec, data)
        ctx.snapshot_steps = frozenset(job.where.get(SNAPSHOTS, ()))
        with Meter() as meter:
            distilled = method.distill(data, spec["ipc"], ctx)
        check_distilled(distilled, data, spec["method"]["name"])
        name, cost = set_name(spec, data_title(job.where["dataset"]), job.cell), meter.as_dict()
        snapshots = {}
        for step, learned in ctx.snapshots().items():
            spent = cost_up_to(step, getattr(method, "steps", 0), cost)
            snapshots[step] = keep_set(job.store, at_step(distilled, learned, step), f"{name}@{step}", None, spent)
        artifact = keep_set(job.store, distilled, name, job.cell, cost)
        result = {
            "artifact": artifact,
            "name": name,
            "bytes": distilled.card.bytes,
            "images": len(distilled.images),
            "history": thinned(ctx.history),
            "snapshots": snapshots,
            "notes": ctx.notes,
        } | cost
        return Answer(result, recorded(ctx), (artifact,))


def ask_to_keep(cell: Cell, step: int) -> None:
    """Leave a hint that a step of a distillation is wanted: kept on the way, it costs nothing."""
    cell.where[SNAPSHOTS] = sorted({*cell.where.get(SNAPSHOTS, ()), step})


def check_ipc(ipc: int, each: int, smallest: int, dataset: str) -> None:
    """Refuse a number of images per class that the data set cannot give; ``each`` real ones make one of them."""
    if ipc < 1:
        raise BadInput(f"ipc = {ipc} is not allowed: at least 1 image per class is needed.")
    if ipc * each > smallest:
        why = f"the smallest class of {dataset} has {smallest} images"
        needed = "" if each == 1 else f", and this method needs {ipc * each}"
        raise TooFewImages(f"ipc = {ipc} is not allowed: {why}{needed}.")


def thinned(history: list[dict[str, float]], most: int = MOST_LOGGED) -> list[dict[str, float]]:
    """Return at most ``most`` evenly spaced entries, the last among them."""
    stride = -(-len(history) // most) or 1
    return history[::-1][::stride][::-1]
