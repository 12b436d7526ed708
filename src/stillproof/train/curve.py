"""The whole course of a training run: losses, every image's prediction at each measured epoch, and chosen weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from stillproof.core.types import ImageSet
from stillproof.train.model import LogitsOf, TrainedModel, predict


@dataclass
class Curve:
    """Measures a model while it is trained.

    Weights are kept for the epochs that a selection rule may choose: the last, the best on held-out images, and the
    best on test images (which only the rule named ``oracle`` may look at).
    """

    test: ImageSet
    heldout: ImageSet | None
    device: str
    losses: list[float] = field(default_factory=list)  # one per epoch
    epochs: list[int] = field(default_factory=list)  # passes made at each measured point
    predictions: list[Tensor] = field(default_factory=list)  # (N_test,) int16 each
    heldout_accuracy: list[float] = field(default_factory=list)
    test_accuracy: list[float] = field(default_factory=list)
    weights: dict[int, dict[str, Tensor]] = field(default_factory=dict)

    def measure(self, model: TrainedModel, epoch: int, logits_of: LogitsOf | None = None) -> None:
        """Add a point after ``epoch`` passes; ``logits_of`` is a faster form of the model's body."""
        predicted = predict(model, self.test, self.device, logits_of)
        self.epochs.append(epoch)
        self.predictions.append(predicted.to(torch.int16))
        self.test_accuracy.append(_accuracy(predicted, self.test))
        if self.heldout is not None:
            heldout = predict(model, self.heldout, self.device, logits_of)
            self.heldout_accuracy.append(_accuracy(heldout, self.heldout))
        self.weights[epoch] = _copy(model.body)
        for unwanted in set(self.weights) - set(self.choices().values()):
            del self.weights[unwanted]

    @property
    def images(self) -> int:
        """Return how many images are evaluated for one point."""
        return len(self.test) + (len(self.heldout) if self.heldout is not None else 0)

    def choices(self) -> dict[str, int]:
        """Return the epoch that each selection rule chooses so far; the earliest of equals."""
        chosen = {"last": self.epochs[-1], "oracle": self._best(self.test_accuracy)}
        if self.heldout_accuracy:
            chosen["heldout"] = self._best(self.heldout_accuracy)
        return chosen

    def state_dict(self) -> dict[str, Any]:
        """Return everything that a checkpoint must keep."""
        return {name: getattr(self, name) for name in _KEPT}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        for name in _KEPT:
            setattr(self, name, state[name])

    def _best(self, accuracies: list[float]) -> int:
        return self.epochs[accuracies.index(max(accuracies))]


_KEPT = ("losses", "epochs", "predictions", "heldout_accuracy", "test_accuracy", "weights")


def _accuracy(predicted: Tensor, data: ImageSet) -> float:
    return int((predicted == data.labels).sum()) / len(data)


def _copy(body: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().cpu().clone() for name, value in body.state_dict().items()}
