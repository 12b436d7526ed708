"""Labelled images, wherever they come from: any split of a data set, a distilled set, or what an attack made of images.

``Planner.images`` says how a spec names them, and how many there are; here is what reads what a spec names. So a stage
that trains on images, adapts to them or is tested on them takes them from anywhere.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from torch import Tensor

from stillproof.core.data_title import data_title
from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo, Distilled, ImageSet, Split
from stillproof.data.load import source
from stillproof.run.attacked_images import ATTACKED_SET, EXAMPLES, ONLY_PIXELS
from stillproof.run.cell import Images
from stillproof.run.stage import Job
from stillproof.sets.artifact import from_artifact
from stillproof.sets.fronts import front_of
from stillproof.sets.read import check_fits, read_stored
from stillproof.store.artifact_files import Artifact
from stillproof.store.store import Store
from stillproof.transforms.decode import decode_images, decode_labels

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

MAKERS = ("attack", "attacked-set")  # stages that make images of those of a split


def read_images(spec: Json, part: Split | None, job: Job) -> ImageSet | Distilled:
    """Return images for the cell's data set; those that do not fit it are refused.

    Args:
        spec: How the cell's spec names them, as ``Images.spec`` has it.
        part: Which split, if they are one: as ``Images.part`` has it, among the cell's hints.
        job: The cell.
    """
    if "data" in spec:
        assert part is not None
        return job.data(spec["data"], part)
    info = source(job.where["dataset"]).info
    stored = read_stored(job.store, artifact_of(spec, job))
    if stored.kind in (EXAMPLES, ATTACKED_SET):
        if stored.card.get("test") in [job.spec[key] for key in ("test", "heldout") if job.spec.get(key)]:
            raise BadInput(f"artifact {stored.id[:12]} was made of the images that the network is to be judged by.")
        return _attacked(stored, job.where["dataset"], info)
    distilled = from_artifact(stored.tensors, stored.card)
    check_fits(distilled, info)
    return distilled


def artifact_of(spec: Json, job: Job) -> str:
    """Return the artifact of images that are no split, as a spec names them."""
    return str(spec["artifact"]) if "artifact" in spec else artifact_in(job.answer_of(spec["cell"]))


def artifact_in(answer: Json) -> str:
    """Return the artifact with the images of a cell: a set, or what an attack has kept."""
    return str(answer["artifact"] if "artifact" in answer else answer["examples"])


def as_pixels(images: ImageSet | Distilled, job: Job) -> ImageSet:
    """Return images as every model takes them: those of a distilled set decoded, and not clamped to [0, 1]."""
    if isinstance(images, ImageSet):
        return images
    classes = decode_labels(images.labels, images.decode).classes
    return ImageSet(pixels_of(images, job.store), classes, source(job.where["dataset"]).info, images.card.data_id)


def pixels_of(distilled: Distilled, store: Store) -> Tensor:
    """Return the images of a distilled set as they are trained on, in pixels: decoded, and not clamped to [0, 1]."""
    return front_of(distilled.space, store).inverse(decode_images(distilled.images, distilled.decode))


def made_from(images: Images, planner: Planner) -> str | None:
    """Return the id of the split that images are, or that an attack made them from; none for distilled sets."""
    if "data" in images.spec:
        return str(images.spec["data"])
    cell = planner.cells.get(images.spec.get("cell", ""))
    return str(cell.spec["test"]) if cell is not None and cell.stage in MAKERS else None


def places_of(spec: Json, count: int, job: Job) -> tuple[str, Collection[int]]:
    """Return the id of the split that images are of, and their places in it; none of distilled sets."""
    if "data" in spec:
        return spec["data"], range(count)
    stored = read_stored(job.store, artifact_of(spec, job))
    if stored.kind not in (EXAMPLES, ATTACKED_SET):
        return "", ()
    sources = stored.tensors.get("sources")
    return stored.card["test"] or "", range(count) if sources is None else sources.tolist()


def _attacked(stored: Artifact, dataset: str, info: DataInfo) -> ImageSet:
    """Return attacked images as pixels with their true classes."""
    images, its = stored.tensors["images"], data_title(stored.card["dataset"])
    if its != data_title(dataset):
        raise BadInput(f"artifact {stored.id[:12]} has attacked images of {its}, and not of {data_title(dataset)}.")
    if stored.card["space"]["kind"] != "pixels":
        raise BadInput(
            f"artifact {stored.id[:12]} has attacked images of {stored.card['space']['kind']} space: {ONLY_PIXELS}"
        )
    shape = (info.channels, info.size, info.size)
    if tuple(images.shape[1:]) != shape:
        raise BadInput(f"the attacked images are {tuple(images.shape[1:])}, and those of {info.name} {shape}.")
    return ImageSet(images, stored.tensors["labels"].long(), info, f"{its}/attacked@{stored.id}")
