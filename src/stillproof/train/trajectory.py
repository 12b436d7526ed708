"""The way of a network's weights while it is trained, as methods that match trajectories need it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils import parameters_to_vector

from stillproof.train.model import LogitsOf, TrainedModel


@dataclass
class Trajectory:
    """Keeps the weights before training and after every measured epoch; takes the place of a curve in ``fit``."""

    points: list[Tensor] = field(default_factory=list)  # (P,) float32 each, on the CPU
    losses: list[float] = field(default_factory=list)  # one per epoch

    images = 0  # none are looked at for a point

    def measure(self, model: TrainedModel, epoch: int, logits_of: LogitsOf | None = None) -> None:
        """Add a point."""
        self.points.append(parameters_to_vector(model.body.parameters()).detach().cpu().clone())

    @torch.no_grad()
    def restore(self, model: TrainedModel) -> None:
        """Give the model the weights of the last point."""
        parameters = list(model.body.parameters())
        parts = torch.split(self.points[-1], [parameter.numel() for parameter in parameters])
        for parameter, part in zip(parameters, parts, strict=True):
            parameter.copy_(part.view_as(parameter))  # in place: in other memory, sums may be rounded otherwise

    def weights(self) -> Tensor:
        """Return all points, (epochs + 1, P)."""
        return torch.stack(self.points)

    def state_dict(self) -> dict[str, Any]:
        """Return everything that a checkpoint must keep."""
        return {"points": self.points, "losses": self.losses}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.points, self.losses = state["points"], state["losses"]
