"""Plans and computes a map cell: the plane on which real and distilled images of one class lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.provenance import numerics
from stillproof.core.seeds import Seeds
from stillproof.core.source import file_hash, module_hash
from stillproof.core.spec import Json
from stillproof.run.cell import SPEC_FORMAT, Cell
from stillproof.run.coverage_cell import COVERING, MOST_REAL, NEIGHBOUR, check_data, class_coverage
from stillproof.run.features import FEATURES_FILES, Features, read_embedder, sample_of_class
from stillproof.run.source_data import load_exactly
from stillproof.run.world import Answer, World, answer_of
from stillproof.sets.read import read_set
from stillproof.suites.requests import MapRequest

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

MOST_SHOWN = 500  # real images
PERPLEXITY = 30.0  # where there are enough images
DECIMALS = 4


def plan_map(planner: Planner, request: MapRequest) -> Cell:
    """Plan the plane of one class, the sets on it and the network that looks at them."""
    model, made = planner.plan(request.model), [planner.plan(of) for of in request.sets]
    check_data(request.sets, model)
    real = request.sets[0].data
    data = planner.names.data(real.dataset, real.part)
    if not 0 <= request.label < data.info.num_classes:
        raise BadInput(f"{data.info.name} has no class {request.label}: 0 to {data.info.num_classes - 1} are there.")
    spec = {
        "stage": "map",
        "format": SPEC_FORMAT,
        "model": model.id,
        "sets": [{"method": of.method, "cell": cell.id} for of, cell in zip(request.sets, made, strict=True)],
        "label": request.label,
        "data": data.id,
        "k": NEIGHBOUR,
        "most_real": MOST_REAL,
        "most_shown": MOST_SHOWN,
        "perplexity": PERPLEXITY,
        "path": [
            *map(file_hash, ("stillproof.run.map_cell", "stillproof.run.coverage_cell", *FEATURES_FILES)),
            *map(module_hash, COVERING),
        ],
    }
    _, flops = planner.names.network(request.model.network, data.info)
    images = MOST_REAL + sum(of.ipc for of in request.sets)
    needs = (model.id, *dict.fromkeys(cell.id for cell in made))
    where = {"dataset": real.dataset, "part": real.part}
    return planner.cell("map", spec, where, needs, images * flops, f"map of class {request.label} of {data.info.name}")


def compute_map(cell_id: str, spec: Json, where: Json, world: World) -> Answer:
    """Place the images; a set's coverage is that of its coverage cell, over as many real images as counted there."""
    data = load_exactly(spec["data"], where["dataset"], where["part"], world)
    label, names = spec["label"], data.info.class_names
    embedder = read_embedder(spec["model"], world)
    real = embedder.real(data, sample_of_class(data, label, spec["most_real"]))
    clouds = []
    for entry in spec["sets"]:
        distilled = read_set(world.store, answer_of(entry["cell"], world.store)["artifact"])
        clouds.append(embedder.distilled(distilled, label))
    shares = [class_coverage(real, cloud, spec["k"], label) for cloud in clouds]
    shown = real[: spec["most_shown"]]
    perplexity = min(spec["perplexity"], (len(shown) + sum(map(len, clouds)) - 1) / 3)
    places, *others = plane([shown, *clouds], perplexity)
    result = {
        "class_name": names[label] if names else str(label),
        "real": places,
        "sets": [
            {"method": entry["method"], "points": points, "coverage": share}
            for entry, points, share in zip(spec["sets"], others, shares, strict=True)
        ],
        "k": spec["k"],
        "coverage_real": len(real),
        "perplexity": perplexity,
    }
    return Answer(result, numerics(world.options.device))


def plane(clouds: Sequence[Features], perplexity: float) -> list[list[list[float]]]:
    """Return the places [x, y] that t-SNE gives to the points of some clouds together, cloud by cloud."""
    # Imported here, since planning needs neither.
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    points = np.concatenate([cloud for cloud in clouds if len(cloud)])
    if not np.ptp(points, axis=0).any():
        raise Unsupported("the network gives all images of this class the same features, which no plane can show.")
    seed = Seeds(0).child("distribution", "plane").integer() % 2**32
    tsne = TSNE(perplexity=perplexity, init="pca", random_state=seed)
    with threadpool_limits(1):  # sums of several threads come in any order, and so would the last bits
        placed = tsne.fit_transform(points).astype(np.float64).round(DECIMALS)
    ends = np.cumsum([len(cloud) for cloud in clouds])
    return [part.tolist() for part in np.split(placed, ends[:-1])]
