"""SRe2L: images that a trained network recognises, and that have the statistics its batch norms remember."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor

from stillproof.core.components import distillers, networks
from stillproof.core.context import Context
from stillproof.core.imagenet_sets import IMAGENET
from stillproof.core.needs import Needs, TrainedBefore
from stillproof.core.presets import Preset
from stillproof.core.seeds import Seeds
from stillproof.core.taught_settings import taught_setting
from stillproof.core.types import DataInfo, Distilled, ImageSet
from stillproof.distill.learning.descent import OnDivergence
from stillproof.distill.learning.first_images import initial_images
from stillproof.distill.recovering.recover import one_of_each_class, recover
from stillproof.distill.recovering.teacher_loss import TeacherLoss
from stillproof.nets.build import forward_flops
from stillproof.nets.home_network import HOME_BN, network_called
from stillproof.transforms.crop_flip import random_flip
from stillproof.transforms.crop_resize import crop_resize
from stillproof.transforms.draws import Draws
from stillproof.transforms.resized_crop import random_boxes

View = Literal["whole", "crop"]


@distillers.register("sre2l", version=1, paper="arXiv:2306.13092")
@dataclass(frozen=True)
class SqueezeRecoverRelabel:
    """Recover images from a teacher, from noise; real images are used only to train the teacher.

    The original keeps its images as JPEG files.

    Args:
        steps: Updates of every image.
        lr: Initial learning rate of the images, in normalised space; it falls to none in a cosine.
        r_bn: Weight of the distances from the statistics of the teacher's batch norms.
        first_bn: Weight of the first batch norm among them.
        jitter: Most pixels that images are shifted by, down and to the right, before the teacher sees them.
        view: Whether the teacher sees whole images or random crops of them.
        batch: Most images that are recovered at once. Each group of them has one image of every class, or of so many
            classes; the statistics are those of a group.
        teacher: The network of the teacher, with batch norms; by default the home network with such.
        teacher_recipe: How it is trained.
        on_divergence: When the loss is no longer finite: fail, or go back and continue with half the step size.
    """

    steps: int = 1000
    lr: float = 0.25
    r_bn: float = 0.01
    first_bn: float = 10.0
    jitter: int = 4
    view: View = "whole"
    batch: int = 100
    teacher: str = HOME_BN
    teacher_recipe: str = "teacher"
    on_divergence: OnDivergence = "fail"

    presets: ClassVar[Sequence[Preset]] = (
        Preset("paper", {"teacher": "resnet-18-bn"}),
        # There the original shifts up and to the left, too.
        Preset(
            "paper",
            {"steps": 4000, "lr": 0.1, "r_bn": 1.0, "view": "crop", "teacher_recipe": "teacher-tiny"},
            datasets=("tiny_imagenet",),
        ),
        Preset(
            "paper",
            {"steps": 4000, "jitter": 32, "view": "crop", "teacher": "resnet-18-bn-imagenet"},
            datasets=IMAGENET,
        ),
        # Theirs is torchvision's; whoever has those weights imports them, and others train the like of them.
        Preset("paper", {"teacher_recipe": "teacher-imagenet"}, datasets=("imagenet",)),
        Preset("quick", {"steps": 200, "teacher_recipe": "teacher-quick"}),
        Preset("quick", {"jitter": 1}, datasets=("digits",)),
        Preset("smoke", {"steps": 3, "jitter": 1, "teacher_recipe": "smoke"}),
    )

    def __post_init__(self) -> None:
        """Refuse what cannot be optimised."""
        if self.steps < 0 or self.batch < 1 or self.lr <= 0:
            raise ValueError("steps must not be negative, batch and lr must be positive")
        if min(self.r_bn, self.first_bn, self.jitter) < 0:
            raise ValueError("r_bn, first_bn and jitter must not be negative")

    @property
    def needs(self) -> Needs:
        """Say which teacher is asked."""
        return Needs(network=False, teachers=TrainedBefore(1, self.teacher_recipe, network=self.teacher))

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        images, labels = initial_images(data, ipc, ctx, "noise")
        truth, passes = labels.to(ctx.device), one_of_each_class(data.num_classes, ipc, self.batch)
        work = self.image_passes(len(data), data.num_classes, ipc) * self._flops(data.info)
        with TeacherLoss(ctx, self.teacher, r_bn=self.r_bn, first_bn=self.first_bn, flops=work) as loss:

            def losses_of(groups: Tensor, places: Tensor, step: int) -> Tensor:
                # The first place tells groups apart, however many go together.
                views = [ctx.seeds.child("view", step, first) for first in places[:, 0].tolist()]
                changed = [seen(group, self.view, self.jitter, own) for group, own in zip(groups, views, strict=True)]
                return loss.of_groups(changed, truth[places])

            recover(self, images, passes, ctx, losses_of)
        recipe, _ = taught_setting("authors", "sre2l", data.info.name, ipc)
        return ctx.distilled(images, ctx.taught(labels), data, recipe=recipe)

    def image_passes(self, n_real: int, num_classes: int, ipc: int) -> float:
        """Return the cost in forward passes of one image; backwards it costs about as much, without weights' share."""
        return float(self.steps * num_classes * ipc * 2)

    def images_held(self, num_classes: int, ipc: int) -> float:
        """Return the most images that are in the network at once."""
        return float(min(num_classes * ipc, self.batch))

    def _flops(self, info: DataInfo) -> float:
        teacher = networks.build(network_called(self.teacher, info.size))
        return forward_flops(teacher, info.channels, info.size, info.num_classes)


def seen(images: Tensor, view: View, jitter: int, seeds: Seeds) -> Tensor:
    """Return the batch as the teacher sees it: rolled by up to ``jitter`` pixels, what leaves coming in opposite.

    ``crop`` cuts a box out of it first and flips it half of the time. All images are changed alike, as in the original,
    which gives whole batches to torchvision.
    """
    draws = Draws(len(images), seeds.torch(), shared=True)
    if view == "crop":
        images = random_flip(crop_resize(images, random_boxes(draws, images.shape[2:])), draws)
    down, right = draws.integers(0, jitter + 1, 2)[0].tolist()
    return torch.roll(images, (down, right), dims=(2, 3))
