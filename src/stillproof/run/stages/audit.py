"""How near the images of a distilled set come to real ones, in training and above all in test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.provenance import numerics
from stillproof.core.types import ImageSet
from stillproof.core.weight import weight_of
from stillproof.nets.home_network import home_network
from stillproof.run.cell import Planned
from stillproof.run.copies import NONE, exact_copies, sample_of, twins_within
from stillproof.run.features import Embedder, read_embedder
from stillproof.run.footprint import looking_memory
from stillproof.run.labelled_images import as_pixels, made_from
from stillproof.run.near_features import nearest_features
from stillproof.run.nearest import RealImages, Seen
from stillproof.run.seen_as import seen_as
from stillproof.run.stage import Answer, Job, Stage
from stillproof.run.stages.coverage import artifact_of, set_spec
from stillproof.score.nearness import copies_by_distance
from stillproof.sets.fronts import front_of
from stillproof.sets.read import check_fits, read_set
from stillproof.suites.requests import Request, real_images, trained
from stillproof.train.model import TEST_BATCH

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

KIND = "audit"
REFERENCE = 500  # real training images whose distances the others' are compared with
SEEN = 50_000  # images that the network learns from: one epoch of CIFAR-10, more of smaller data sets
MOST_EPOCHS = 15
WIDTH = 16  # channels of that network: an eighth of the usual ones, which take minutes on CIFAR-10
SHOWN = 8  # images in the picture


@stages.register("audit", version=1)
@dataclass(frozen=True)
class Audit(Stage):
    """The nearest training and test images of a set's images, in pixels and in features, and those of real ones.

    Args:
        of: The distilled set.
    """

    of: Request

    def plan(self, planner: Planner) -> Planned:
        """Plan the search, the set itself and the network that looks at it: one that was trained on real images."""
        made = planner.images(self.of)
        if made_from(made, planner):
            raise BadInput(f"{made.label} are real images, as they are or attacked: an audit is of a distilled set.")
        train, test = (planner.names.data(made.dataset, split) for split in ("train", "test"))
        recipe = f"quick-real:epochs={max(1, min(MOST_EPOCHS, SEEN // train.total))}"
        network = f"{home_network(test.info.size)}:width={WIDTH}"
        model = planner.plan(trained(real_images(made.dataset), network, recipe, 0))
        _, flops = planner.names.network(network, test.info)
        images = made.count + min(REFERENCE, train.total)
        return Planned(
            spec={
                "set": set_spec(made),
                "train": train.id,
                "test": test.id,
                "model": model.id,
                "reference": REFERENCE,
            },
            label=f"audit of {made.label}",
            needs=(model.id, *made.needs),
            flops=(images + train.total + test.total) * flops,
            where={"dataset": made.dataset, "network": model.where["network"], "recipe": recipe},
            memory=looking_memory(planner.names.network_size(network, test.info), TEST_BATCH),
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Search, and keep where each image lies."""
        spec = job.spec
        train, test = job.data(spec["train"], "train"), job.data(spec["test"], "test")
        distilled = read_set(job.store, artifact_of(spec["set"], job))
        check_fits(distilled, test.info)
        unclamped = as_pixels(distilled, job)
        pixels = ImageSet(unclamped.images.clamp(0, 1), unclamped.labels, unclamped.info, unclamped.id)
        sample = sample_of(train, spec["reference"])
        seen = seen_as(distilled, front_of(distilled.space, job.store).to(job.device))
        searched = _Searched(job, read_embedder(spec["model"], job), pixels, train, sample, seen)
        found = searched.beside("train", train) | searched.beside("test", test) | _within(pixels, job.device)
        shown = _most_suspicious(found)
        found |= {"labels": pixels.labels, "shown": shown, "shown.set": _as_bytes(pixels.images[shown])}
        for name, data in (("train", train), ("test", test)):
            nearest = data.read(found[f"{name}.index"][shown], job.device)
            found[f"shown.{name}"] = _as_bytes(searched.seen(nearest))
        kept = job.store.keep(KIND, found, {"cell": job.cell, "train": train.id, "test": test.id}, cell=job.cell)
        result = {
            "arrays": kept,
            "images": len(pixels),
            "stored": len(distilled.images),
            "decode": distilled.decode,
            "per_class": pixels.labels.bincount(minlength=distilled.num_classes).tolist(),
            "classes": list(test.info.class_names) or [str(label) for label in range(distilled.num_classes)],
            "outside": _outside(unclamped.images),
            "bytes": weight_of(distilled.images, distilled.labels).as_dict(),
            "train": {"id": train.id, "images": len(train)},
            "test": {"id": test.id, "images": len(test)},
            "reference": len(sample),
            "network": job.where["network"],
            "recipe": job.where["recipe"],
        }
        return Answer(result, numerics(job.device), (kept,))


@dataclass(frozen=True)
class _Searched:
    """The images that are looked at, and real training images that stand beside them, where ``sample`` says."""

    job: Job
    embedder: Embedder
    pixels: ImageSet
    train: ImageSet
    sample: Tensor
    seen: Seen

    @cached_property
    def real(self) -> Tensor:
        """Return the real images as pixels."""
        return self.seen(self.train.read(self.sample, self.job.device)).cpu()

    @cached_property
    def features(self) -> Tensor:
        """Return the features of the images, and of the real ones after them."""
        return torch.from_numpy(self.embedder.pixels(torch.cat([self.pixels.images, self.real])))

    def beside(self, name: str, data: ImageSet) -> dict[str, Tensor]:
        """Return the nearest images of a split: of each image, and of real training images without themselves."""
        images, count = self.pixels.images, len(self.pixels)
        left = self.sample if name == "train" else torch.full_like(self.sample, NONE)
        searched = RealImages(data, self.job.device, self.seen)
        near, reference = searched.nearest(images), searched.nearest(self.real, left)
        exact = exact_copies(images, data)
        index = torch.where(exact == NONE, near.index, exact)  # others may be as near once both are cut
        leave_out = torch.cat([torch.full((count,), NONE), left])
        in_features = nearest_features(self.features, data, self.embedder, self.seen, leave_out)
        found = {
            "index": index,
            "distance": near.distance,
            "shift": near.shift,
            "mirrored": near.mirrored,
            "exact": exact,
            "labels": data.labels[index],
            "reference": reference.distance,
            "features.index": in_features.index[:count],
            "features.distance": in_features.distance[:count],
            "features.reference": in_features.distance[count:],
        }
        return {f"{name}.{key}": value.contiguous() for key, value in found.items()}


def _most_suspicious(found: dict[str, Tensor]) -> Tensor:
    """Return the places of the images to be shown: copies of test images first, then by how near they are to one."""
    copied = (found["test.exact"] != NONE) & (found["train.exact"] == NONE)
    for kind in ("", "features."):
        near, other = found[f"test.{kind}distance"], found[f"train.{kind}distance"]
        copied |= torch.from_numpy(copies_by_distance(near, other, found[f"test.{kind}reference"]))
    share = found["test.distance"] / found["train.distance"].clamp(min=1e-6)
    return torch.where(copied, share - share.max() - 1, share).argsort(stable=True)[:SHOWN]


def _within(pixels: ImageSet, device: str) -> dict[str, Tensor]:
    """Return what each image is nearest to within the set, and which are equal as bytes."""
    itself = torch.arange(len(pixels))
    if len(pixels) < 2:
        return {"within.index": itself, "within.distance": torch.full((1,), torch.inf), "within.exact": itself - 1}
    near = RealImages(pixels, device).nearest(pixels.images, itself)
    return {
        "within.index": near.index,
        "within.distance": near.distance,
        "within.exact": twins_within(pixels.images),
    }


def _outside(pixels: Tensor) -> dict[str, float]:
    """Return which share of values lies outside [0, 1], but for rounding, and how far they reach."""
    low, high = float(pixels.min()), float(pixels.max())
    slack = 1 / 510  # half a level: what rounding to bytes brings back
    share = ((pixels < -slack) | (pixels > 1 + slack)).double().mean().item()
    return {"share": share, "low": low, "high": high}


def _as_bytes(pixels: Tensor) -> Tensor:
    return pixels.clamp(0, 1).mul(255).round().to(torch.uint8).cpu()
