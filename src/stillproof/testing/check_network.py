"""The contract of a network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from stillproof.core.components import networks
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo
from stillproof.nets.body import Body
from stillproof.nets.build import build_network, reinitialise
from stillproof.testing.checks import Result, global_generators_untouched, need, run_checks
from stillproof.testing.choices import TITLE, try_every_choice

CLASSES = 7
SIZES = ((1, 8), (3, 32))  # channels, pixels


def check_network(name: str) -> list[Result]:
    """Run the contract."""
    return run_checks(
        "network",
        name,
        {
            "gives logits, a flat embedding and gradients": lambda: _shapes(name),
            "its weights come from the seed alone": lambda: _seeded(name),
            "draws from no global generator": lambda: _no_global_draws(name),
            TITLE: lambda: try_every_choice(networks, name, lambda choice: _gives_gradients(name, choice)),
        },
    )


def _build(name: str, channels: int, size: int, seed: int = 0, choice: Mapping[str, Any] | None = None) -> Body:
    info = DataInfo("check", channels, size, CLASSES, (0.5,) * channels, (0.5,) * channels, "")
    return build_network(networks.build(name, choice), info, Seeds(seed), "cpu")


def _shapes(name: str) -> None:
    for channels, size in SIZES:
        _gives_gradients(name, channels=channels, size=size)


def _gives_gradients(
    name: str, choice: Mapping[str, Any] | None = None, channels: int = SIZES[0][0], size: int = SIZES[0][1]
) -> None:
    body = _build(name, channels, size, choice=choice)
    images = torch.zeros(2, channels, size, size) + torch.linspace(0, 1, size)
    logits, embedding = body(images), body.features(images)
    need(logits.shape == (2, CLASSES), f"logits are {tuple(logits.shape)}, not {(2, CLASSES)}")
    need(embedding.ndim == 2, f"features are {tuple(embedding.shape)}, not flat")
    logits.sum().backward()
    silent = [key for key, value in body.named_parameters() if value.grad is None]
    need(not silent, f"no gradient reaches {', '.join(silent[:3])}")


def _seeded(name: str) -> None:
    first, second, other = _build(name, 1, 8), _build(name, 1, 8), _build(name, 1, 8, seed=1)
    need(_equal(first, second), "one seed gives different weights")
    need(not _equal(first, other), "two seeds give the same weights")
    reinitialise(other, Seeds(0))
    need(_equal(first, other), "drawing the weights anew gives other weights than building")


def _no_global_draws(name: str) -> None:
    with global_generators_untouched():
        _build(name, 1, 8)


def _equal(first: Body, second: Body) -> bool:
    pairs = zip(first.state_dict().values(), second.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)
