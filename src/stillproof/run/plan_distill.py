"""Plans distilled sets, and what they need: whitenings and experts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput
from stillproof.core.source import file_hash, module_hash
from stillproof.core.spec import Json
from stillproof.core.types import Distiller
from stillproof.run.cell import SPEC_FORMAT, Cell
from stillproof.suites.requests import DistillRequest, WhitenRequest

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

ZCA_EPS = 0.1  # on eigenvalues of [0, 1] pixels, as all published ZCA sets have it
# What cells run through besides the components that they name: of these with all that they import ...
SHARED = ("stillproof.nets.build", "stillproof.transforms.space", "stillproof.transforms.kip_zca")
TRAIN = ("stillproof.train.loop", "stillproof.train.data")
# ... and of these the file alone, since they import the store, which decides no number.
DISTILLING = ("stillproof.run.distill_context", "stillproof.run.zca_cell")
EXPERT = ("stillproof.run.expert_cell", "stillproof.run.zca_cell")


class TooFewImages(BadInput):
    """A class of a data set has fewer images than were asked for."""


@dataclass(frozen=True, slots=True)
class Distilling:
    """One distillation: what is asked of it, and by which method; ``spec`` is all of a spec but its stage."""

    method: Distiller
    spec: Json
    where: Json
    needs: tuple[str, ...]
    flops: float
    label: str


def plan_whitening(planner: Planner, request: WhitenRequest) -> Cell:
    """Plan the whitening of a data set."""
    data = planner.names.data(request.data.dataset, request.data.part)
    spec = {"stage": "zca", "format": SPEC_FORMAT, "data": data.id, "eps": ZCA_EPS}
    spec["source"] = module_hash("stillproof.transforms.zca")
    if request.variant != "usual":
        spec |= {"variant": request.variant, "source": module_hash(f"stillproof.transforms.{request.variant}_zca")}
    size = data.info.channels * data.info.size**2
    where = {"dataset": request.data.dataset, "part": request.data.part}
    flops = 2.0 * data.total * size**2 + 10.0 * size**3  # covariance and eigenvectors
    return planner.cell("zca", spec, where, (), flops, f"whitening of {data.info.name}")


def plan_distill(planner: Planner, request: DistillRequest) -> Cell:
    """Plan a distilled set."""
    asked = distilling(planner, request)
    spec = {"stage": "distill", **asked.spec}
    if request.snapshots:
        spec["snapshots"] = list(request.snapshots)
    return planner.cell("distill", spec, asked.where, asked.needs, asked.flops, asked.label)


def distilling(planner: Planner, request: DistillRequest) -> Distilling:
    """Return what decides a distilled set, and plan what it needs; snapshots are left to whoever wants them."""
    data = planner.names.data(request.data.dataset, request.data.part)
    method, method_spec = planner.names.method(request.method, request.scale, data.info.name, request.ipc)
    each = getattr(method, "images_each", lambda ipc: ipc)(request.ipc)
    check_ipc(request.ipc, each, data.smallest, request.data.dataset)
    network, flops = planner.names.network(request.network, data.info)
    spec = {
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
    zca = planner.plan(WhitenRequest(request.data, variant)) if getattr(method, "zca", False) else None
    experts = _experts(planner, request, method, zca)
    if zca:
        spec["zca"] = zca.id
    if experts:
        spec["experts"] = experts
    needs = (*([zca.id] if zca else []), *experts)
    passes = getattr(method, "image_passes", lambda *_: 0.0)(data.total, data.info.num_classes, request.ipc)
    where = {"dataset": request.data.dataset, "part": request.data.part, "network": request.network}
    label = f"{request.method} {data.info.name} ipc {request.ipc} seed {request.seed}"
    return Distilling(method, spec, where, needs, passes * flops, label)


def _experts(planner: Planner, request: DistillRequest, method: Distiller, zca: Cell | None) -> list[str]:
    """Plan the networks that a distiller learns from: the same for sets of all seeds, unless it wants others."""
    wanted: tuple[int, str] | None = getattr(method, "needs_experts", None)
    if wanted is None:
        return []
    count, reference = wanted
    first = request.seed * count if getattr(method, "experts_by_seed", False) else 0
    seeds = range(first, first + count)
    data = planner.names.data(request.data.dataset, request.data.part)
    recipe, recipe_spec = planner.names.recipe(reference)
    network, flops = planner.names.network(request.network, data.info)
    spec = {
        "stage": "expert",
        "format": SPEC_FORMAT,
        "data": data.id,
        "info": data.info_spec(),
        "network": network,
        **recipe_spec,
        "path": [*map(file_hash, EXPERT), *map(module_hash, (*SHARED, *TRAIN))],
    }
    if zca:
        spec["zca"] = zca.id
    where = {"dataset": request.data.dataset, "part": request.data.part}
    work = 3.0 * recipe.epochs * data.total * flops
    needs = (zca.id,) if zca else ()
    label = f"expert {request.network} on {data.info.name} seed"
    cells = [planner.cell("expert", spec | {"seed": s}, where, needs, work, f"{label} {s}") for s in seeds]
    return [cell.id for cell in cells]


def check_ipc(ipc: int, each: int, smallest: int, dataset: str) -> None:
    """Refuse a number of images per class that the data set cannot give; ``each`` real ones of a class make them."""
    if ipc < 1:
        raise BadInput(f"ipc = {ipc} is not allowed: at least 1 image per class is needed.")
    if each > smallest:
        why = f"the smallest class of {dataset} has {smallest} images"
        needed = "" if each == ipc else f", and this method needs {each}"
        raise TooFewImages(f"ipc = {ipc} is not allowed: {why}{needed}.")
