"""What a network is trained on: the real or distilled images that the spec of its cell names."""

from __future__ import annotations

from stillproof.core.errors import StillproofError
from stillproof.core.spec import Json
from stillproof.core.types import Distilled, ImageSet, Space
from stillproof.run.source_data import load_exactly
from stillproof.run.world import World, answer_of
from stillproof.sets.fronts import front_of
from stillproof.sets.read import check_fits, read_set
from stillproof.train.data import from_distilled, from_images
from stillproof.train.train_data import TrainData
from stillproof.transforms.space import make_front


def training_data(spec: Json, where: Json, world: World, test: ImageSet) -> tuple[Space, TrainData]:
    """Return the images to train on, and the space that the network's body sees."""
    upstream, device = spec["upstream"], world.options.device
    if "data" in upstream:
        data = load_exactly(upstream["data"], where["dataset"], where["part"], world)
        space = Space.normalised(data.info)
        return space, from_images(data, make_front(space).to(device), device)
    distilled = _distilled(upstream, world)
    check_fits(distilled, test.info)
    space = Space.normalised(test.info) if distilled.space.kind == "pixels" else distilled.space
    return space, from_distilled(distilled, front_of(space, world.store).to(device), device)


def _distilled(upstream: Json, world: World) -> Distilled:
    if "artifact" in upstream:
        return read_set(world.store, upstream["artifact"])
    made = answer_of(upstream["cell"], world.store)
    if "step" not in upstream:
        return read_set(world.store, made["artifact"])
    kept = made["snapshots"].get(str(upstream["step"]))
    if kept is None:
        raise StillproofError(
            f"{made['name']} kept no images of step {upstream['step']}: its method takes no snapshots."
        )
    return read_set(world.store, kept, upstream["cell"])
