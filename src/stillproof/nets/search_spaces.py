"""The spaces that architectures are searched in, as references of registered networks, and random samples of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.nets.nas201_code import EDGES, OPERATIONS, arch_text

# The 720 ConvNets of arXiv:2006.05929; one that pools nowhere keeps the full size up to its linear layer.
CONVNETS: dict[str, Sequence[int | str]] = {
    "depth": (1, 2, 3, 4),
    "width": (32, 64, 128, 256),
    "norm": ("none", "batch", "layer", "instance", "group"),
    "activation": ("sigmoid", "relu", "leaky-relu"),
    "pooling": ("none", "max", "avg"),
}


def nas201_digits() -> list[str]:
    """Return all 15,625 architectures of NAS-Bench-201 as six digits each, in ascending order."""
    digits = "".join(str(place) for place in range(len(OPERATIONS)))
    return ["".join(chosen) for chosen in itertools.product(digits, repeat=len(EDGES))]


def nas201_texts() -> list[str]:
    """Return the same architectures in their usual text, in the same order."""
    return [arch_text(digits) for digits in nas201_digits()]


def nas201_networks() -> list[str]:
    """Return the same architectures as references of networks, in the same order."""
    return [f"nas201:arch={digits}" for digits in nas201_digits()]


def convnet_networks() -> list[str]:
    """Return all 720 ConvNets as references of networks."""
    chosen = [dict(zip(CONVNETS, values, strict=True)) for values in itertools.product(*CONVNETS.values())]
    return ["convnet:" + ":".join(f"{key}={value}" for key, value in params.items()) for params in chosen]


def sample(space: Sequence[str], count: int, seeds: Seeds) -> list[str]:
    """Return ``count`` different members of ``space``, each as likely as any other.

    A smaller sample of the same seeds is the beginning of a larger one, so that what was trained for it counts again.
    """
    if not 1 <= count <= len(space):
        raise BadInput(f"a sample of {count} architectures is not possible: there are only {len(space)}.")
    return [space[place] for place in seeds.numpy().permutation(len(space))[:count]]
