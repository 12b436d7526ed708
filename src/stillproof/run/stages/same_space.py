"""Real images, some or all of them, in the space of another set, so that both are trained on alike."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.needs import needs_of
from stillproof.core.space_text import space_called
from stillproof.core.spec import Json
from stillproof.core.types import Distilled, Space
from stillproof.data.load import source
from stillproof.run.cell import Images, Planned
from stillproof.run.changed_sets import keep_changed, source_of
from stillproof.run.spaces import STORED, constants_of, space_of
from stillproof.run.stage import Answer, Job, Stage
from stillproof.run.stages.artifact import StoredSet
from stillproof.run.stages.distill import Distill
from stillproof.sets.fronts import front_of
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("same-space", version=1)
@dataclass(frozen=True)
class SameSpace(Stage):
    """The images of a set, whitened or normalised as those of another; where both are so already, the set itself.

    Real images of a data set stay what they are, and are taken there when a network is trained on them.

    Args:
        of: The set, or real images.
        like: The other set: one that is distilled, or one that is in the store.
    """

    of: Request
    like: Request

    def images(self, planner: Planner) -> Images | None:
        """Return the set itself, if the other is in the usual space of their data set; real images with their space."""
        images, space = planner.images(self.of), self._space(planner)
        if not space:
            return images
        return _named_so(images, space) if "data" in images.spec else None

    def plan(self, planner: Planner) -> Planned:
        """Plan by the space alone: sets of all methods that have it share the same images."""
        images, space = source_of(self.of, planner), self._space(planner)
        named = _named_so(images, space)
        return Planned(
            spec={"of": images.spec, "space": space},
            label=named.label,
            needs=named.needs,
            where={"dataset": images.dataset},
            images=images.count,
        )

    def _space(self, planner: Planner) -> Json:
        """Return what the other set's space is made of; nothing for the usual one of its data set."""
        other = planner.stage(self.like)
        if isinstance(other, StoredSet):
            return _stored(other.space, other.dataset)
        if not isinstance(other, Distill):
            raise BadInput(f"{self.like} is neither distilled nor in the store, so that its space is not known before.")
        data, needs = other.source(planner), needs_of(other.built(planner))
        if needs.whitening:
            return {"zca": planner.ask("zca", dataset=data.dataset, part=data.part, variant=needs.whitening).id}
        return constants_of(needs.normalised_as, planner.names.data(data.dataset, data.part).info)

    @staticmethod
    def compute(job: Job) -> Answer:
        """Take the images there."""
        return keep_changed(job, job.spec["of"], "same-space", _moved)


def _named_so(images: Images, space: Json) -> Images:
    """Return images with the space that they shall be in, and what has to be there for that."""
    return dataclasses.replace(
        images,
        spec=images.spec | {"space": space},
        label=f"{images.label} {'normalised' if 'normalised' in space else 'whitened'} alike",
        needs=(*images.needs, *((space["zca"],) if "zca" in space else ())),
    )


def _stored(text: str, dataset: str) -> Json:
    space = space_called(text) if text else Space.normalised(source(dataset).info)
    if space.kind == "zca":
        return {STORED: space.ref}
    if space.kind == "pixels" or space == Space.normalised(
        source(dataset).info
    ):  # pixels are normalised when trained on
        return {}
    return {"normalised": {"mean": space.mean, "std": space.std}}


def _moved(distilled: Distilled, job: Job) -> Distilled:
    space = space_of(job.spec["space"], source(job.where["dataset"]).info, job.store)
    if space == distilled.space:
        return distilled
    with torch.no_grad():
        pixels = front_of(distilled.space, job.store).inverse(distilled.images)
        return dataclasses.replace(distilled, images=front_of(space, job.store)(pixels), space=space)
