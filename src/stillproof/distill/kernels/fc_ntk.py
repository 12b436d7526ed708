"""The neural tangent kernel of an infinitely wide fully connected ReLU network, in closed form."""

from __future__ import annotations

import math

import torch
from torch import Tensor

WEIGHT_VARIANCE = 2.0  # of a layer's weights, times its inputs
BIAS_VARIANCE = 0.01
# Cosines this near to 1 or -1 count as 1 or -1: rounding cannot tell them apart.
COSINE_EPS = 1e-12


def fc_ntk(first: Tensor, second: Tensor, depth: int) -> Tensor:
    """Return the kernel of every pair of images, (N, M) in float64.

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
