"""A library that looks like torchattacks and misbehaves in every way that libraries have, so that none is needed."""

from __future__ import annotations

import logging
import random
import sys
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from stillproof.attack.foreign import base, library, named_by_class

VERSION = "3.5.1"


class Attack:
    """Their base class."""

    def __init__(self, name: str, model: nn.Module) -> None:
        self.attack, self.model, self.targeted = name, model, False
        self.supported_mode = ["default", "targeted"]
        self.device = next(model.parameters()).device

    def set_mode_targeted_by_label(self, quiet: bool = False) -> None:
        self.targeted = True

    def __call__(self, images: Tensor, labels: Tensor) -> Any:
        self.model.train()  # as careless as can be
        self.model.zero_grad()
        return self.forward(images, labels)

    def forward(self, images: Tensor, labels: Tensor) -> Any:
        raise NotImplementedError


class Step(Attack):
    """One step up the gradient.

    Second paragraph.
    """

    def __init__(self, model: nn.Module, eps: float = 8 / 255, steps: int = 1, name: str = "x") -> None:
        super().__init__("Step", model)
        if steps < 1:
            raise ValueError("steps must be positive")
        self.eps, self.steps = eps, steps

    def forward(self, images: Tensor, labels: Tensor) -> Any:
        points = images.clone()
        for _ in range(self.steps):
            points = points.detach().requires_grad_()
            loss = nn.functional.cross_entropy(self.model(points.double()), labels)
            (gradient,) = torch.autograd.grad(loss, points)
            points = points + self.eps * gradient.sign() * (-1 if self.targeted else 1)
        return points


class Noise(Attack):
    """Noise of three generators, told to everybody."""

    def __init__(self, model: nn.Module, amount: float = 0.3, seed: int = 0, verbose: bool = False) -> None:
        super().__init__("Noise", model)
        self.supported_mode = ["default"]
        self.amount, self.seed = amount, seed

    def forward(self, images: Tensor, labels: Tensor) -> Any:
        print(f"step 1 of 1: {random.random()}")  # noqa: T201
        sys.stderr.write("100%|##########|\n")
        logging.getLogger("torchattacks.noise").error("done")
        warnings.warn("deprecated", stacklevel=1)
        mine = torch.Generator().manual_seed(self.seed)
        draws = torch.rand_like(images) + torch.rand(images.shape, generator=mine)
        shift = float(np.random.rand()) + random.random()  # noqa: NPY002
        self.model(images.repeat(5, 1, 1, 1))
        return images + self.amount * (draws + shift - 2)


class Odd(Attack):
    """Fails on every image whose class is odd."""

    def __init__(self, model: nn.Module, every: bool = False) -> None:
        super().__init__("Odd", model)
        self.every = every

    def forward(self, images: Tensor, labels: Tensor) -> Any:
        self.model(images)
        if self.every or int(labels) % 2:
            raise ValueError("an odd class")
        return images * float("nan")


class Endless(Attack):
    """Asks again and again."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__("Endless", model)

    def forward(self, images: Tensor, labels: Tensor) -> Any:
        while True:
            self.model(images)


class Shapeless(Attack):
    """Gives back something else."""

    def __init__(self, model: nn.Module, loader: object) -> None:
        super().__init__("Shapeless", model)

    def forward(self, images: Tensor, labels: Tensor) -> Any:
        return images[:, :, :2]


def _forget() -> None:
    for remembered in (library.classes_of, library._parameters_of, base._told):
        remembered.cache_clear()


@contextmanager
def lookalike(monkeypatch: pytest.MonkeyPatch, version: str | None = VERSION) -> Iterator[None]:
    """Let this be torchattacks for a block, or let there be none."""
    home, below = types.ModuleType("torchattacks"), types.ModuleType("torchattacks.attack")
    for one in (Step, Noise, Odd, Endless, Shapeless):
        setattr(home, one.__name__, one)
    vars(home)["attack"], vars(below)["Attack"] = below, Attack
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "torchattacks", home)
        patch.setitem(sys.modules, "torchattacks.attack", below)
        patch.setattr(named_by_class, "version_of", lambda family: version)
        _forget()
        yield
    _forget()
