"""Kernel inducing points: learn the images from which kernel ridge regression predicts the real labels best."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.needs import Needs
from stillproof.core.presets import Preset
from stillproof.core.types import Distilled, ImageSet, Space, Stored
from stillproof.distill.kernels import BATCH, FeatureKernel, RegressionTargets, centred, fc_ntk, regress
from stillproof.distill.learning.descent import OnDivergence, descend
from stillproof.distill.learning.first_images import Init, embedding_for, initial_images
from stillproof.sets.usual_recipes import LEARNED_LABELS
from stillproof.transforms.front import Front
from stillproof.transforms.kip_zca import channel_statistics
from stillproof.transforms.space import make_front

StepKernel = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]  # support, targets, step

# In forward passes of one image through ConvNet-3, on one core: reading a target, and one entry of a fully connected
# kernel, forward and backward. Both are twice as much on CIFAR-10 and half as much on MNIST.
TARGET_PASSES = 1 / 80
ENTRY_PASSES = 1 / 15_000
# The same for memory: in images that are held in ConvNet-3 on CIFAR-10.
TARGET_HELD = 1 / 70
ENTRY_HELD = 1 / 60_000


@distillers.register("kip", version=1, paper="arXiv:2011.00050, arXiv:2107.13034")
@dataclass(frozen=True)
class KernelInducingPoints:
    """Minimise the error of kernel ridge regression from the images to real ones.

    The second paper's sets come from the tangent kernel of an infinitely wide ConvNet, which takes a cluster;
    ``conv-features`` estimates a convolutional kernel by random networks instead. The published accuracies are
    of networks 1024 channels wide, trained by squared error for 5000 steps; those of other recipes are not comparable
    with them. The record has the method's own measure, ``krr_accuracy``: that of the regression, on the real images of
    each step.

    Args:
        steps: Updates of the images.
        lr: Step size of Adam on images and labels, in standardised space.
        target_batch: Real images per step, equally many of each class.
        kernel: ``fc-ntk``, the exact tangent kernel of a fully connected network, or ``conv-features``, random features
            of the cell's network, drawn anew in every step.
        depth: Hidden layers of ``fc-ntk``.
        networks: Random networks of ``conv-features``.
        ridge: Ridge of the regression, as a share of the kernel's mean diagonal.
        learn_labels: Whether labels are learned too. They are not probabilities then: the set brings a recipe with
            squared error, and recipes with cross-entropy, which cut off what is negative, do it no justice.
        zca: Work on whitened images; without it, on images with the mean and standard deviation of the real ones taken
            out exactly. On CIFAR-10 that is 0.247 and not the 0.2023 that other methods divide by.
        init: Initialisation of the images.
        on_divergence: When the loss is no longer finite: fail, or go back and continue with half the step size.
    """

    steps: int = 1000
    lr: float = 0.04
    target_batch: int = 5000
    kernel: Literal["fc-ntk", "conv-features"] = "fc-ntk"
    depth: int = 1
    networks: int = 8
    ridge: float = 1e-6
    learn_labels: bool = False
    zca: bool = False
    init: Init = "real"
    on_divergence: OnDivergence = "fail"

    presets: ClassVar[Sequence[Preset]] = (
        Preset("quick", {"steps": 200, "target_batch": 1000, "networks": 2}),
        Preset("smoke", {"steps": 3, "target_batch": 30, "networks": 2}),
    )

    def __post_init__(self) -> None:
        """Refuse what cannot be optimised."""
        if self.steps < 0 or min(self.lr, self.ridge) <= 0 or min(self.target_batch, self.depth, self.networks) < 1:
            raise ValueError("steps must not be negative; lr, ridge, target_batch, depth and networks must be positive")

    @property
    def needs(self) -> Needs:
        """Say whether the result depends on the network; its whitening is not the usual one."""
        network = self.kernel == "conv-features" or self.init == "k-center"
        whitening = "kip" if self.zca else ""
        return Needs(network=network, whitening=whitening, embedding=embedding_for(self.init))

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        images, classes = initial_images(data, ipc, ctx, self.init)
        if not self.zca:
            own = standardised(data, ctx)
            images, ctx = images if self.init == "noise" else moved(images, ctx, own), own
        images.requires_grad_()
        # In float32 like the images, which is how both are stored; regression itself is in float64.
        labels = centred(classes, data.num_classes).float().to(ctx.device).requires_grad_(self.learn_labels)
        optimiser = torch.optim.Adam([images, labels] if self.learn_labels else [images], lr=self.lr)
        targets = RegressionTargets(data, ctx, self.target_batch)
        kernel = self._kernel(ctx)

        def update(step: int) -> dict[str, float]:
            goal, wanted = targets.draw(step)
            found = regress(*kernel(images, goal, step), labels, self.ridge)
            if found is None:  # the kernel has no inverse: the images are beyond all bounds
                return {"loss": math.nan, "krr_accuracy": math.nan}
            loss = 0.5 * (found - wanted).square().mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            right = (found.argmax(1) == wanted.argmax(1)).double().mean()
            return {"loss": loss.item(), "krr_accuracy": right.item()}  # of these training images

        also = {"labels": labels} if self.learn_labels else {}
        descend(ctx, self.steps, optimiser, update, on_divergence=self.on_divergence, also=also)
        if not self.learn_labels:
            return ctx.distilled(images, classes, data)
        return ctx.distilled(images, Stored("centred", labels.detach()), data, recipe=LEARNED_LABELS)

    def image_passes(self, n_real: int, num_classes: int, ipc: int) -> float:
        """Return the cost in forward passes of one image."""
        support = num_classes * ipc
        if self.kernel == "fc-ntk":
            entries = support * (self.target_batch + support)
            return self.steps * (self.target_batch * TARGET_PASSES + entries * ENTRY_PASSES)
        # Targets go forward once; support images twice, and backward.
        return float(self.steps * self.networks * (self.target_batch + 4 * support))

    def images_held(self, num_classes: int, ipc: int) -> float:
        """Return the most images that are in the network at once; a fully connected kernel is put into such images."""
        support = num_classes * ipc
        if self.kernel == "fc-ntk":
            return self.target_batch * TARGET_HELD + support * (self.target_batch + support) * ENTRY_HELD
        return float(max(BATCH, support))

    def _kernel(self, ctx: Context) -> StepKernel:
        if self.kernel == "conv-features":
            return FeatureKernel(ctx, self.networks, self.steps * self.target_batch)
        ntk = functools.partial(fc_ntk, depth=self.depth)
        return lambda support, targets, step: (ntk(support, support), ntk(targets, support))


def standardised(data: ImageSet, ctx: Context) -> Context:
    """Return the context in the space where each channel of the real images has exactly mean 0 and deviation 1."""
    mean, std = channel_statistics(data)
    space = Space("normalised", tuple(mean.tolist()), tuple(std.tolist()))
    return dataclasses.replace(ctx, space=space, front=make_front(space).to(ctx.device))


def moved(images: Tensor, old: Context, new: Context) -> Tensor:
    """Return images of the old context's space in that of the new one."""
    assert isinstance(old.front, Front), "there is no way back to pixels"
    return new.into_space(old.front.inverse(images))
