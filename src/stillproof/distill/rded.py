"""RDED: the crops of real images that a teacher is surest of, several put together in one image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.dsa_strategy import DIGIT_SETS
from stillproof.core.needs import Needs, TrainedBefore
from stillproof.core.presets import SCALES, Preset
from stillproof.core.reference import write_nested, write_reference
from stillproof.core.types import DataInfo, Distilled, ImageSet
from stillproof.distill.imagenet_sets import IMAGENET
from stillproof.distill.teaching.patches import padded, tiled
from stillproof.distill.teaching.teacher import answers, teacher_of
from stillproof.nets.chunks import by_chunks
from stillproof.nets.home import HOME_BN
from stillproof.transforms.crop_resize import crop_resize
from stillproof.transforms.draws import Draws
from stillproof.transforms.resized_crop import random_boxes


@distillers.register("rded", version=1, paper="arXiv:2312.03526")
@dataclass(frozen=True)
class RealisticDiverse:
    """Keep, of random crops, those with the smallest loss under a teacher; nothing is optimised.

    The original normalises by the mean and std of ImageNet whatever the data set, and keeps its images as JPEG files.

    Args:
        pool: Real images of a class that crops are taken from, at random; as many as are needed, if that is more.
        crops: Crops of each of them, of which the best one counts.
        factor: Crops along each side of a distilled image.
        teacher: The network of the teacher; by default the home network with batch norms.
        teacher_recipe: How it is trained.
    """

    pool: int = 300
    crops: int = 5
    factor: int = 1
    teacher: str = HOME_BN
    teacher_recipe: str = "teacher"

    presets: ClassVar[Sequence[Preset]] = (
        *(Preset(scale, {"factor": 2}, datasets=IMAGENET) for scale in SCALES),
        Preset("paper", {"teacher": "resnet-18-bn-imagenet"}, datasets=("imagenet",)),
        Preset("quick", {"teacher_recipe": "teacher-quick"}),
        Preset("smoke", {"pool": 8, "crops": 2, "teacher_recipe": "smoke"}),
    )

    def __post_init__(self) -> None:
        """Refuse what gives no crops."""
        if min(self.pool, self.crops, self.factor) < 1:
            raise ValueError("pool, crops and factor must be at least 1")

    @property
    def needs(self) -> Needs:
        """Say which teacher is asked; a real image gives one crop."""
        teachers = TrainedBefore(1, self.teacher_recipe, network=self.teacher)
        return Needs(network=False, teachers=teachers, real_per_image=self.factor**2)

    @torch.no_grad()
    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        info = data.info
        images = torch.zeros(info.num_classes, ipc, info.channels, info.size, info.size, device=ctx.device)
        for label in ctx.loop(info.num_classes, images=images):
            best = lowest(*self._scored(data, label, ipc, ctx), ipc * self.factor**2)
            images[label] = tiled(best, info.size, self.factor)
        labels = torch.arange(info.num_classes).repeat_interleave(ipc)
        recipe = own_recipe(info, ipc, self.factor)
        return ctx.distilled(images.flatten(0, 1), ctx.taught(labels), data, recipe=recipe)

    def _scored(self, data: ImageSet, label: int, ipc: int, ctx: Context) -> tuple[Tensor, Tensor]:
        """Return crops of a class, (n, crops, C, s, s) in the cell's space, and the teacher's loss of each."""
        members, seeds = data.of_class(label), ctx.seeds.child("crops", label)
        order = torch.randperm(len(members), generator=seeds.child("order").torch())
        pixels = data.read(members[order[: self._pool(ipc)]], ctx.device)
        teacher, size = teacher_of(ctx), data.info.size
        ask = by_chunks(lambda part: answers(teacher, padded(part, size), ctx), teacher.body)
        truth = torch.full((len(pixels),), label, device=ctx.device)
        found = []
        for number in range(self.crops):
            draws = Draws(len(pixels), seeds.child("boxes", number).torch())
            boxes = random_boxes(draws, (size, size), ratio=1.0)
            made = ctx.into_space(crop_resize(pixels, boxes, size // self.factor))
            found.append((made, F.cross_entropy(ask(made), truth, reduction="none")))
        crops, losses = zip(*found, strict=True)
        return torch.stack(crops, 1), torch.stack(losses, 1)

    def image_passes(self, n_real: int, num_classes: int, ipc: int) -> float:
        """Return the cost in forward passes of one image: every crop goes through the teacher once."""
        return float(min(n_real, num_classes * self._pool(ipc)) * self.crops)

    def images_held(self, num_classes: int, ipc: int) -> float:
        """Return the most images that are in the network at once: one crop of each real one of a class."""
        return float(self._pool(ipc))

    def _pool(self, ipc: int) -> int:
        return max(self.pool, ipc * self.factor**2)


def lowest(crops: Tensor, losses: Tensor, count: int) -> Tensor:
    """Return the ``count`` crops of smallest loss, the best first; of crops (n, m, C, s, s), one for each of n."""
    smallest, which = losses.min(1)
    own = crops[torch.arange(len(crops), device=crops.device), which]
    return own[smallest.argsort(stable=True)[:count]]


def own_recipe(info: DataInfo, ipc: int, factor: int) -> str:
    """Return how the authors train on a set; they have batch sizes for 1, 10 and 50 images per class alone."""
    changes = {} if factor == 1 else {"factor": factor}
    changes |= {"flip": False} if info.name in DIGIT_SETS else {}
    augment = {"augment": write_nested("rded-aug", changes)} if changes else {}
    if info.name == "cifar100":
        return write_reference("rded", {"batch": 25, "lr": 0.002})  # theirs for ConvNet-3
    batch = (10 if ipc < 10 else 50 if ipc < 50 else 100) * (2 if info.num_classes >= 100 else 1)
    batch = 100 if info.name == "tiny_imagenet" else batch
    return write_reference("rded", {"batch": min(batch, ipc * info.num_classes), **augment})
