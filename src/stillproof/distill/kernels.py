"""Kernels that KIP can regress with, the regression itself, and the real images that it is to get right."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from stillproof.core.context import Context
from stillproof.core.types import ImageSet
from stillproof.distill.learning.real_batches import RealBatches
from stillproof.nets.body import Body
from stillproof.nets.build import reinitialise
from stillproof.nets.chunks import by_chunks
from stillproof.nets.compiled import compiled

# Of an infinitely wide network.
WEIGHT_VARIANCE = 2.0  # of a layer's weights, times its inputs
BIAS_VARIANCE = 0.01
# Cosines this near to 1 or -1 count as 1 or -1: rounding cannot tell them apart.
COSINE_EPS = 1e-12

BATCH = 500  # images without gradient that go through a network at once


def fc_ntk(first: Tensor, second: Tensor, depth: int) -> Tensor:
    """Return the tangent kernel of an infinitely wide fully connected ReLU network, in closed form.

    It is that of every pair of images, (N, M) in float64.

    Args:
        first: Images (N, ...).
        second: Images (M, ...).
        depth: Hidden layers.
    """
    first, second = first.flatten(1).double(), second.flatten(1).double()
    size = first.shape[1]
    own_first, own_second = first.square().sum(1) / size, second.square().sum(1) / size
    # The covariance of pre-activations, of each image with itself and of each pair; then what training adds.
    own_first, own_second = _dense(own_first), _dense(own_second)
    covariance = _dense(first @ second.T / size)
    tangent = covariance
    for _ in range(depth):
        scale = (own_first[:, None] * own_second).sqrt()
        angle = _angle(covariance / scale)
        # E[relu relu] and E[relu' relu'] of two Gaussians (arc-cosine kernels of order 1 and 0). The first is usually
        # written with cos(angle) * scale, which is the covariance: this way it keeps its gradient at angle 0.
        active = (math.pi - angle) / (2 * math.pi)
        covariance = _dense(scale * angle.sin() / (2 * math.pi) + active * covariance)
        tangent = covariance + WEIGHT_VARIANCE * active * tangent
        own_first, own_second = _dense(own_first / 2), _dense(own_second / 2)
    return tangent


def _dense(covariance: Tensor) -> Tensor:
    return WEIGHT_VARIANCE * covariance + BIAS_VARIANCE


def _angle(cosine: Tensor) -> Tensor:
    """Return the arc cosine, constant at both ends, where its slope would be infinite.

    An image and itself are at angle 0 however the image changes, so that a slope of 0 is right there. The kernel of
    two different images that coincide has a cusp; there a slope of 0 is a choice, and finite.
    """
    inner = cosine.clamp(-1 + COSINE_EPS, 1 - COSINE_EPS).acos()
    inner = torch.where(cosine >= 1 - COSINE_EPS, torch.zeros_like(inner), inner)
    return torch.where(cosine <= -1 + COSINE_EPS, torch.full_like(inner, math.pi), inner)


class FeatureKernel:
    """A kernel by random features: the mean of phi(x) . phi(y) / D over freshly drawn networks.

    Phi are the features that a network's classifier sees. With many wide networks it becomes the covariance of the
    outputs of an infinitely wide network (its NNGP kernel). The networks stay in evaluation mode, so that features are
    a function of one image: no dropout, and batch norms as they are before training.
    """

    def __init__(self, ctx: Context, networks: int, images: float = 0) -> None:
        """Draw ``networks`` networks of the cell's kind per step; ``images`` will pass through each, in all steps."""
        body = ctx.make_network()
        assert isinstance(body, Body)
        self.body = body.eval().requires_grad_(False)
        flops = ctx.forward_flops * networks * images
        self.embed = by_chunks(compiled(body.features, body, flops=flops, notes=ctx.notes), body)
        self.ctx, self.networks = ctx, networks

    def __call__(self, support: Tensor, targets: Tensor, step: int) -> tuple[Tensor, Tensor]:
        """Return the kernel of the support (n, n) and of targets and support (t, n), in float64."""
        within, across = support.new_zeros((), dtype=torch.float64), support.new_zeros((), dtype=torch.float64)
        for number in range(self.networks):
            features = self._features(support, step, number)
            with torch.no_grad():  # through the network that was just drawn
                wanted = torch.cat([self.embed(part).double() for part in torch.split(targets, BATCH)])
            share = self.networks * features.shape[1]
            within = within + features @ features.T / share
            across = across + wanted @ features.T / share
        return within, across

    def _features(self, images: Tensor, step: int, number: int) -> Tensor:
        def draw_and_embed(images: Tensor) -> Tensor:
            reinitialise(self.body, self.ctx.seeds.child("network", step, number))
            return self.embed(images).double()

        if not images.requires_grad:
            return draw_and_embed(images)
        # Only the features are kept: the backward pass draws the same network again, so that the activations of one
        # network at a time are in memory, and one module serves them all. The other variant of checkpoints (not
        # reentrant) gives wrong gradients when the network is compiled.
        features: Tensor = checkpoint(draw_and_embed, images, use_reentrant=True, preserve_rng_state=False)
        return features


def regress(within: Tensor, across: Tensor, labels: Tensor, ridge: float) -> Tensor | None:
    """Return the labels (t, classes) that ridge regression from the support predicts for the targets.

    There are none if its kernel cannot be inverted.

    Args:
        within: Kernel of the support with itself (n, n).
        across: Kernel of targets and support (t, n).
        labels: Labels of the support (n, classes).
        ridge: Added to the diagonal, as a share of its mean.
    """
    identity = torch.eye(len(within), dtype=within.dtype, device=within.device)
    factor, failed = torch.linalg.cholesky_ex(within + ridge * within.trace() / len(within) * identity)
    if bool(failed):
        return None
    return across @ torch.cholesky_solve(labels.to(within), factor)


def centred(classes: Tensor, num_classes: int) -> Tensor:
    """Return classes (N,) as regression wants them: one-hot minus 1/classes, (N, classes) in float64."""
    return F.one_hot(classes, num_classes).double() - 1 / num_classes


class RegressionTargets:
    """Draws batches of real images to be predicted, with equally many of each class."""

    def __init__(self, data: ImageSet, ctx: Context, size: int) -> None:
        """Draw about ``size`` images per batch: of each class at least one and at most all."""
        self.classes = range(data.num_classes)
        self.real = RealBatches(data, ctx, max(1, size // data.num_classes))

    def draw(self, step: int) -> tuple[Tensor, Tensor]:
        """Return the images of a step in the cell's space, and their centred labels (t, classes)."""
        batches = [self.real.draw(label, step) for label in self.classes]
        counts = torch.tensor([len(batch) for batch in batches])
        images = torch.cat(batches)
        labels = centred(torch.arange(len(counts)).repeat_interleave(counts), len(counts))
        return images, labels.to(images.device)
