"""A kernel by random features: inner products of what freshly drawn networks make of two images."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from stillproof.core.context import Context
from stillproof.nets.body import Body
from stillproof.nets.build import reinitialise
from stillproof.nets.chunks import by_chunks
from stillproof.nets.compiled import compiled

BATCH = 500  # images without gradient that go through a network at once


class FeatureKernel:
    """The mean of phi(x) . phi(y) / D over random networks, phi being the features that their classifier sees.

    With many wide networks it becomes the covariance of the outputs of an infinitely wide network (its NNGP kernel).
    The networks stay in evaluation mode, so that features are a function of one image: no dropout, and batch norms as
    they are before training.
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
