"""The plane on which real and distilled images of one class lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stillproof.core.components import stages
from stillproof.core.data_title import data_title
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.provenance import numerics
from stillproof.core.seeds import Seeds
from stillproof.run.cell import Planned
from stillproof.run.features import Features, read_embedder, sample_of_class
from stillproof.run.footprint import looking_memory
from stillproof.run.stage import Answer, Job, Stage
from stillproof.run.stages.coverage import MOST_REAL, NEIGHBOUR, artifact_of, class_coverage, same_source, set_spec
from stillproof.sets.read import read_set
from stillproof.suites.requests import Request
from stillproof.train.model import TEST_BATCH

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

MOST_SHOWN = 500  # real images
PERPLEXITY = 30.0  # where there are enough images
DECIMALS = 4


@stages.register("map", version=1)
@dataclass(frozen=True)
class Map(Stage):
    """Where the images of several sets lie among the real ones, in the features of a network.

    Args:
        sets: The distilled sets.
        model: The network's training.
        label: The class.
    """

    sets: tuple[Request, ...]
    model: Request
    label: int

    def plan(self, planner: Planner) -> Planned:
        """Plan the plane, the sets on it and the network that looks at them."""
        model = planner.plan(self.model)
        real = same_source(planner, self.sets, model)
        made = [planner.images(request) for request in self.sets]
        data = planner.names.data(real.dataset, real.part)
        if not 0 <= self.label < data.info.num_classes:
            raise BadInput(
                f"{data_title(real.dataset)} has no class {self.label}: 0 to {data.info.num_classes - 1} are there."
            )
        spec = {
            "model": model.id,
            "sets": [set_spec(one) for one in made],
            "label": self.label,
            "data": data.id,
            "k": NEIGHBOUR,
            "most_real": MOST_REAL,
            "most_shown": MOST_SHOWN,
            "perplexity": PERPLEXITY,
        }
        _, flops = planner.names.network(model.where["network"], data.info)
        images = MOST_REAL + sum(one.count for one in made) / data.info.num_classes
        return Planned(
            spec=spec,
            label=f"map of class {self.label} of {data_title(real.dataset)}",
            needs=(model.id, *dict.fromkeys(need for one in made for need in one.needs)),
            flops=images * flops,
            where={"dataset": real.dataset, "part": real.part},
            memory=looking_memory(planner.names.network_size(model.where["network"], data.info), TEST_BATCH),
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Place the images; a set's coverage is that of its coverage cell, over as many real images."""
        spec = job.spec
        data = job.data(spec["data"], job.where["part"])
        label, names = spec["label"], data.info.class_names
        embedder = read_embedder(spec["model"], job)
        real = embedder.real(data, sample_of_class(data, label, spec["most_real"]))
        clouds = []
        for named in spec["sets"]:
            distilled = read_set(job.store, artifact_of(named, job))
            clouds.append(embedder.distilled(distilled, label))
        shares = [class_coverage(real, cloud, spec["k"], label) for cloud in clouds]
        shown = real[: spec["most_shown"]]
        perplexity = min(spec["perplexity"], (len(shown) + sum(map(len, clouds)) - 1) / 3)
        places, *others = plane([shown, *clouds], perplexity)
        result = {
            "class_name": names[label] if names else str(label),
            "real": places,
            "sets": [{"points": points, "coverage": share} for points, share in zip(others, shares, strict=True)],
            "k": spec["k"],
            "coverage_real": len(real),
            "perplexity": perplexity,
        }
        return Answer(result, numerics(job.device))


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
