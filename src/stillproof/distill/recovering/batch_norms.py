"""How far the statistics of a batch are from those that a network's batch norms remember of their training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from stillproof.core.errors import Unsupported


class BatchNorms:
    """Watches the batch norms of a frozen network, in the order that images pass them.

    The mean and variance of what enters a norm, over all images and places, are compared with its running ones.
    """

    def __init__(self, network: nn.Module, name: str) -> None:
        """Hook into the network; ``name`` is for the sentence that refuses one without batch norms."""
        norms = [module for module in network.modules() if isinstance(module, nn.BatchNorm2d)]
        if not norms:
            why = f"{name} has no batch norms, whose statistics are what images are recovered from"
            raise Unsupported(f"{why}: name a teacher with them, such as teacher=convnet-3-bn.")
        self._found: list[Tensor] = []
        self._hooks = [norm.register_forward_pre_hook(self._compare) for norm in norms]

    def distances(self) -> Tensor:
        """Return what each norm found in the last pass, (norms,): the norms of both differences, added."""
        found = torch.stack(self._found)
        self._found.clear()
        return found

    def close(self) -> None:
        """Leave the network as it was."""
        for hook in self._hooks:
            hook.remove()

    def _compare(self, norm: nn.Module, inputs: Sequence[Any]) -> None:
        assert isinstance(norm, nn.BatchNorm2d) and norm.running_mean is not None and norm.running_var is not None
        variance, mean = torch.var_mean(inputs[0], dim=(0, 2, 3), correction=0)
        # The second norm of a difference, not its square: so it is in the original.
        self._found.append((norm.running_var - variance).norm() + (norm.running_mean - mean).norm())
