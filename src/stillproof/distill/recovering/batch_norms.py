"""How far the statistics of a batch are from those that a network's batch norms remember of their training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from stillproof.core.errors import Unsupported


class BatchNorms:
    """Watches the batch norms of a frozen network, in the order that images pass them.

    The mean and variance of what enters a norm, over all images of a group and all places, are compared with its
    running ones. A frozen network takes each image by itself, so that several groups may go through it at once.
    """

    def __init__(self, network: nn.Module, name: str) -> None:
        """Hook into the network; ``name`` is for the sentence that refuses one without batch norms."""
        norms = [module for module in network.modules() if isinstance(module, nn.BatchNorm2d)]
        if not norms:
            why = f"{name} has no batch norms, whose statistics are what images are recovered from"
            raise Unsupported(f"{why}: name a teacher with them, such as teacher=convnet-3-bn.")
        self._groups = 1
        self._found: list[Tensor] = []
        self._hooks = [norm.register_forward_pre_hook(self._compare) for norm in norms]

    def expect(self, groups: int) -> None:
        """Say that the next pass has so many groups of images, equally large and one after another."""
        self._groups = groups
        self._found.clear()

    def distances(self) -> Tensor:
        """Return what each norm found in the last pass, (norms, groups): the lengths of both differences, added."""
        return torch.stack(self._found)

    def close(self) -> None:
        """Leave the network as it was."""
        for hook in self._hooks:
            hook.remove()

    def _compare(self, norm: nn.Module, inputs: Sequence[Any]) -> None:
        assert isinstance(norm, nn.BatchNorm2d) and norm.running_mean is not None and norm.running_var is not None
        maps = inputs[0].unflatten(0, (self._groups, -1))  # (groups, images, channels, height, width)
        variance, mean = torch.var_mean(maps, dim=(1, 3, 4), correction=0)
        # The length of a difference, not its square: so it is in the original.
        self._found.append((norm.running_var - variance).norm(dim=1) + (norm.running_mean - mean).norm(dim=1))
