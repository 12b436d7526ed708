"""The way of a network's weights while it is trained, as methods that match trajectories need it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils import parameters_to_vector

from stillproof.train.model import TrainedModel


@dataclass
class Trajectory:
    """Keeps the weights before training and after every measured epoch; takes the place of a curve in ``fit``."""

    points: list[Tensor] = field(default_factory=list)  # (P,) float32 each, on the CPU
    losses: list[float] = field(default_factory=list)  # one per epoch

    def measure(self, model: TrainedModel, epoch: int) -> None:
        """Add a point."""
        self.points.append(parameters_to_vector(model.body.parameters()).detach().cpu().clone())

    def weights(self) -> Tensor:
        """Return all points, (epochs + 1, P)."""
        return torch.stack(self.points)

    def state_dict(self) -> dict[str, Any]:
        """Return everything that a checkpoint must keep."""
        return {"points": self.points, "losses": self.losses}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.points, self.losses = state["points"], state["losses"]
