"""The model under attack: its weights frozen, asked in chunks that fit the cache, compiled where that repays."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from stillproof.attack.base.asking import ask, ask_first, gradient_at
from stillproof.core.attack_warnings import FEW_CLASSES as FEW_CLASSES
from stillproof.core.attack_warnings import WARNINGS as WARNINGS
from stillproof.core.spec import Json
from stillproof.nets.body import Body
from stillproof.nets.chunks import most_of_map
from stillproof.nets.compiled import compiled
from stillproof.nets.network_size import NetworkSize, forward_measured

Model = Callable[[Tensor], Tensor]  # pixels (N, C, H, W) -> logits (N, classes)
ChunkLoss = Callable[[Tensor, slice], Tensor]  # logits of a chunk, its place among the images -> one loss per image
Through = Callable[[Tensor, slice], Tensor]  # images of a chunk, its place -> what the model sees of them
COUNTED = "counted"
FIRST_CHUNK = 8  # images, while it is not known yet what one takes


class Victim:
    """Gives logits and gradients of a model, in chunks.

    A module is measured on its first images. Other callables get all images at once: nothing is known of them.
    """

    def __init__(self, model: Model, *, passes: float = 0.0, notes: Json | None = None, in_chunks: bool = True) -> None:
        """Take a model.

        Args:
            model: Takes pixels to logits.
            passes: Passes of single images that lie ahead, for the decision whether compiling repays.
            notes: Told whether the model was compiled, and how many images go through it at once.
            in_chunks: Whether a module is asked in chunks.
        """
        self.model = model
        self.passes = passes
        self.notes: Json = {} if notes is None else notes
        self.most = 0
        self.at_random: bool | None = None  # whether it answers at random; None until that is looked into
        self._asked = False
        self._fast: Model | None = None  # compiled, for any number of images above 1
        self._measured = not (in_chunks and isinstance(model, nn.Module))

    def logits(self, images: Tensor) -> Tensor:
        """Return logits (N, classes)."""
        with torch.no_grad():
            return torch.cat([self._ask(images[part]).detach().float() for part in self._parts(images)])

    def get_ready(self, images: Tensor) -> None:
        """Measure a module on some images, if nothing was asked of it yet: from then on chunks are always the same."""
        if not self._measured:
            self.logits(images[:FIRST_CHUNK])

    def gradient(self, images: Tensor, loss: ChunkLoss, through: Through | None = None) -> tuple[Tensor, Tensor]:
        """Return the gradient of the losses at the images, (N, C, H, W), and the logits.

        Args:
            images: Where.
            loss: Of logits.
            through: What is done to images before the model sees them.
        """
        gradients, logits = [], []
        for part in self._parts(images):
            points = images[part].detach().requires_grad_()
            with torch.enable_grad():
                said = self._ask(points if through is None else through(points, part))
                gradients.append(gradient_at(points, loss(said, part)))
            logits.append(said.detach().float())
        return torch.cat(gradients), torch.cat(logits)

    def jacobian(self, images: Tensor, classes: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradients of chosen logits, (N, k, C, H, W), and all logits; ``classes`` is (N, k)."""
        gradients, logits = [], []
        for part in self._parts(images):
            points = images[part].detach().requires_grad_()
            with torch.enable_grad():
                # Not compiled: what is compiled gives up its memory after one backward pass.
                said = self.ask_plainly(points) if self._measured else self._measure(points)
                chosen = said.gather(1, classes[part])
                columns = [gradient_at(points, column, again=True) for column in chosen.unbind(1)]
            gradients.append(torch.stack(columns, 1))
            logits.append(said.detach().float())
        return torch.cat(gradients), torch.cat(logits)

    def _parts(self, images: Tensor) -> Iterator[slice]:
        start = 0
        while start < len(images):  # the first part may change the size of the next
            size = FIRST_CHUNK if not self._measured else self.most or len(images)
            yield slice(start, start + size)
            start += size

    def _ask(self, images: Tensor) -> Tensor:
        if not self._measured:
            return self._measure(images)
        if self._fast is not None and len(images) > 1:
            if images.requires_grad:
                return self._fast(images)
            with torch.enable_grad():  # as where gradients are wanted: another mode would be compiled anew
                return self._fast(images.requires_grad_())
        return self.ask_plainly(images)

    def ask_plainly(self, images: Tensor) -> Tensor:
        """Ask the model itself of all images at once, with a graph where gradients are wanted."""
        first, self._asked = not self._asked, True
        return ask_first(self.model, images) if first else ask(self.model, images)

    def _measure(self, images: Tensor) -> Tensor:
        """Ask for the first time, and find out how many images to ask of at once."""
        assert isinstance(self.model, nn.Module)
        sizes: list[NetworkSize] = []

        def measured(given: Tensor) -> Tensor:
            logits, size = forward_measured(module, given)
            sizes.append(size)
            return logits

        module = self.model
        logits = ask_first(measured, images)
        self._measured = self._asked = True
        (size,) = sizes
        if next(self.model.parameters(), None) is not None:
            self.most = most_of_map(self.model, size.largest_map)
        # Not for other people's modules, which may hold anything.
        fits = self.most and any(isinstance(module, Body) for module in self.model.modules())
        work = size.flops * self.passes
        plain = partial(_logits_of, self.model)
        fast = compiled(plain, self.model, flops=work, notes=self.notes, like=images) if fits else plain
        self._fast = None if fast is plain else fast
        self.notes.setdefault("compiled", False)
        self.notes["images_at_once"] = self.most or "all"
        return logits


def _logits_of(model: nn.Module, images: Tensor) -> Tensor:
    logits: Tensor = model(images)
    return logits


@contextlib.contextmanager
def frozen(model: Any, *, mode: bool | None = None) -> Iterator[None]:
    """Keep a module's weights without gradients, and it in training (True) or evaluation mode (False), for a block."""
    if not isinstance(model, nn.Module):
        yield
        return
    wanted = {weight: weight.requires_grad for weight in model.parameters()}
    modes = {module: module.training for module in model.modules()}
    try:
        model.requires_grad_(False)
        if mode is not None:
            model.train(mode)
        yield
    finally:
        for weight, before in wanted.items():
            weight.requires_grad_(before)
        for module, training in modes.items():
            module.training = training


@contextlib.contextmanager
def under_attack(model: Model, *, passes: float = 0.0, notes: Json | None = None) -> Iterator[Victim]:
    """Give a model in evaluation mode, with its weights frozen; it is put back as it was afterwards."""
    with frozen(model, mode=False):
        yield Victim(model, passes=passes, notes=notes)
