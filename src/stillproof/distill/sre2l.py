"""SRe2L: images that a trained network recognises, and that have the statistics its batch norms remember."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from stillproof.core.components import distillers, networks
from stillproof.core.context import Context
from stillproof.core.dsa_strategy import DIGIT_SETS
from stillproof.core.needs import Needs, TrainedBefore
from stillproof.core.presets import Preset
from stillproof.core.types import DataInfo, Distilled, ImageSet
from stillproof.distill.imagenet_sets import IMAGENET
from stillproof.distill.learning.descent import OnDivergence
from stillproof.distill.learning.first_images import initial_images
from stillproof.distill.recovering.recover import one_of_each_class, recover
from stillproof.distill.recovering.teacher_loss import TeacherLoss
from stillproof.distill.recovering.views import View, seen
from stillproof.nets.build import forward_flops
from stillproof.nets.home import HOME_BN, network_called


@distillers.register("sre2l", version=1, paper="arXiv:2306.13092")
@dataclass(frozen=True)
class SqueezeRecoverRelabel:
    """Recover images from a teacher, from noise; no real image is looked at after the teacher's training.

    The original keeps its images as JPEG files.

    Args:
        steps: Updates of every image.
        lr: Step size on images at the start, in normalised space; it falls to none in a cosine.
        r_bn: Weight of the distances from the statistics of the teacher's batch norms.
        first_bn: Weight of the first batch norm among them.
        jitter: Most pixels that images are shifted by, down and to the right, before the teacher sees them.
        view: Whether the teacher sees whole images or random crops of them.
        batch: Most images that are recovered at once. Each group of them has one image of every class, or of so many
            classes; the statistics are those of a group.
        teacher: The network of the teacher, with batch norms; by default the home network with such.
        teacher_recipe: How it is trained.
        on_divergence: Fail, or go back and continue with half the step size, when the loss is no longer finite.
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
        Preset("paper", {"steps": 4000, "lr": 0.1, "r_bn": 1.0, "view": "crop"}, datasets=("tiny_imagenet",)),
        Preset(
            "paper",
            {"steps": 4000, "jitter": 32, "view": "crop", "teacher": "resnet-18-bn-imagenet"},
            datasets=IMAGENET,
        ),
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
        return ctx.distilled(images, ctx.taught(labels), data, recipe=own_recipe(data.info))

    def image_passes(self, n_real: int, num_classes: int, ipc: int) -> float:
        """Return the cost in forward passes of one image; backwards it costs about as much, without weights' share."""
        return float(self.steps * num_classes * ipc * 2)

    def images_held(self, num_classes: int, ipc: int) -> float:
        """Return the most images that are in the network at once."""
        return float(min(num_classes * ipc, self.batch))

    def _flops(self, info: DataInfo) -> float:
        teacher = networks.build(network_called(self.teacher, info.size))
        return forward_flops(teacher, info.channels, info.size, info.num_classes)


def own_recipe(info: DataInfo) -> str:
    """Return how the authors train on a set; on ImageNet, on answers that they recorded."""
    if info.name in IMAGENET:
        return "fkd:augment=rded-aug(min_scale=0.08)"
    return "sre2l:augment=sre2l-aug(flip=false)" if info.name in DIGIT_SETS else "sre2l"
