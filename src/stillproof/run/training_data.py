"""What a network is trained on: the real or distilled images that the spec of its cell names."""

from __future__ import annotations

from stillproof.core.types import ImageSet, Space
from stillproof.run.stage import Job
from stillproof.sets.fronts import front_of
from stillproof.sets.read import check_fits, read_set
from stillproof.sets.teachers import read_teachers
from stillproof.train.data import from_distilled, from_images
from stillproof.train.train_data import TrainData
from stillproof.transforms.space import make_front


def training_data(job: Job, test: ImageSet) -> tuple[Space, TrainData]:
    """Return the images to train on, and the space that the network's body sees."""
    upstream, device = job.spec["upstream"], job.device
    if "data" in upstream:
        data = job.data(upstream["data"], job.where["part"])
        space = Space.normalised(data.info)
        return space, from_images(data, make_front(space).to(device), device)
    artifact = upstream["artifact"] if "artifact" in upstream else job.answer_of(upstream["cell"])["artifact"]
    distilled = read_set(job.store, artifact)
    check_fits(distilled, test.info)
    space = Space.normalised(test.info) if distilled.space.kind == "pixels" else distilled.space
    teachers = read_teachers(distilled, job.store, job.where["dataset"], test.info, device)
    return space, from_distilled(distilled, front_of(space, job.store).to(device), device, teachers)
