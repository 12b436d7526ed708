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
from stillproof.core.imagenet_sets import IMAGENET
from stillproof.core.needs import Needs, TrainedBefore
from stillproof.core.presets import SCALES, Preset
from stillproof.core.taught_settings import taught_setting
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.teacher import answers, teacher_of
from stillproof.nets.chunks import by_chunks
from stillproof.nets.home_network import HOME_BN
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
        Preset(
            "paper", {"teacher": "resnet-18-bn-imagenet", "teacher_recipe": "teacher-imagenet"}, datasets=("imagenet",)
        ),
        Preset("paper", {"teacher_recipe": "teacher-tiny"}, datasets=("tiny_imagenet",)),
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
        recipe, _ = taught_setting("authors", "rded", info.name, ipc, info.num_classes, self.factor)
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


def padded(patches: Tensor, size: int) -> Tensor:
    """Return patches (N, C, s, s) in the middle of images of ``size`` pixels that are zero elsewhere."""
    rest = size - patches.shape[2]
    before = rest // 2
    return F.pad(patches, (before, rest - before, before, rest - before))


def tiled(patches: Tensor, size: int, factor: int) -> Tensor:
    """Return (n, C, size, size) images of ``factor`` x ``factor`` patches each, from (n factor^2, C, s, s).

    The first n patches become the top left ones, the next those to the right of them, and so on, row by row. If the
    size is no multiple of ``factor``, the first rows and columns are larger by one pixel, and their patches with them.
    """
    count = len(patches) // factor**2
    sides = [size // factor + (number < size % factor) for number in range(factor)]
    images = patches.new_zeros(count, patches.shape[1], size, size)
    parts = iter(torch.split(patches, count))
    for row, height in enumerate(sides):
        for column, width in enumerate(sides):
            top, left = sum(sides[:row]), sum(sides[:column])
            images[:, :, top : top + height, left : left + width] = F.interpolate(next(parts), size=(height, width))
    return images
