"""The whitening of a data set, as an artifact that distilled sets and models refer to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.components import stages
from stillproof.core.data_title import data_title
from stillproof.core.errors import UnknownName
from stillproof.core.provenance import Meter, numerics
from stillproof.core.spec import Json
from stillproof.core.tensor_size import size_in_bytes
from stillproof.core.types import Space
from stillproof.run.cell import Planned
from stillproof.run.footprint import ARTIFACT, VALUE
from stillproof.run.stage import Answer, Job, Stage, answer_of
from stillproof.sets.fronts import WHITENINGS
from stillproof.store.store import Store
from stillproof.suites.requests import Part

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

EPS = 0.1  # on eigenvalues of [0, 1] pixels, as all published ZCA sets have it


@stages.register("zca", version=1)
@dataclass(frozen=True)
class Whitening(Stage):
    """The ZCA of the training images of a data set.

    Args:
        dataset: The data set.
        part: Which of its training images.
        variant: Whose whitening: the usual one, that of KIP's authors, or that of DataDAM's, of normalised images.
    """

    dataset: str
    part: Part = "train"
    variant: str = "usual"

    def plan(self, planner: Planner) -> Planned:
        """Plan by the content of the images."""
        if self.variant not in WHITENINGS:
            raise UnknownName("whitening", self.variant, WHITENINGS)
        data = planner.names.data(self.dataset, self.part)
        spec: Json = {"data": data.id, "eps": EPS} | ({"variant": self.variant} if self.variant != "usual" else {})
        if self.variant == "normalised":  # the constants decide it too
            spec["info"] = data.info_spec()
        size = data.info.channels * data.info.size**2
        return Planned(
            spec=spec,
            label=f"whitening of {data_title(self.dataset)}",
            flops=2.0 * data.total * size**2 + 10.0 * size**3,  # covariance and eigenvectors
            where={"dataset": self.dataset, "part": self.part},
            memory=5.0 * 8 * size**2,  # covariance, eigenvectors and the matrices made of them, in float64
            disk=2.0 * VALUE * size**2 + ARTIFACT,  # there and back
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Fit and store."""
        spec = job.spec
        data = job.data(spec["data"], job.where["part"])
        with Meter() as meter:
            tensors = WHITENINGS[spec.get("variant", "usual")].fit(data, spec["eps"]).state_dict()
        card: Json = {key: spec[key] for key in ("data", "eps", "variant") if key in spec}
        name = f"zca-{data_title(job.where['dataset'])}-{job.cell[:6]}"
        artifact = job.store.keep("zca", tensors, card, name=name, cell=job.cell)
        result = {"artifact": artifact, "bytes": size_in_bytes(tensors.values())} | meter.as_dict()
        return Answer(result, numerics("cpu"), (artifact,))


def whitened(cell: str, store: Store) -> Space:
    """Return the space that a whitening cell has made."""
    return Space("zca", ref=answer_of(cell, store)["artifact"])
