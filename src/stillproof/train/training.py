"""One training run in progress: all that an objective may use of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar

from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.errors import Diverged
from stillproof.nets.compiled import compiled
from stillproof.train.curve import Curve
from stillproof.train.model import LogitsOf, TrainedModel, logits_of
from stillproof.train.recipe import Recipe
from stillproof.train.train_data import TrainData
from stillproof.train.trajectory import Trajectory
from stillproof.transforms.front import Front

Part = TypeVar("Part")


@dataclass(frozen=True)
class Training:
    """A model, what it is trained on, and how.

    Args:
        model: The model: its ``front`` takes pixels into the space of its ``body``, which is what is trained.
        data: Training images in the body's space.
        recipe: How to train.
        ctx: The cell's context.
        curve: Takes measurements and keeps weights.
        flops: One image's forward passes in an epoch, for the decision whether compiling repays.
        kept: What objectives keep through checkpoints.
    """

    model: TrainedModel
    data: TrainData
    recipe: Recipe
    ctx: Context
    curve: Curve | Trajectory | None = None
    flops: float = 0.0
    kept: dict[str, Any] = field(default_factory=dict)

    def keep(self, name: str, part: Part) -> Part:
        """Keep a tensor, or an object with ``state_dict`` and ``load_state_dict``, through checkpoints.

        A tensor is restored in place, so it must be changed in place too. To be called before the first step.
        """
        self.kept[f"{len(self.kept)} {name}"] = part  # one objective inside another may use the same name
        return part

    def parts(self, **own: Any) -> dict[str, Any]:
        """Return everything that a loop's checkpoint needs: ``own``, the body, the curve, and what was kept."""
        curve = {"curve": self.curve} if self.curve else {}
        return {"body": self.model.body} | own | curve | self.kept

    def compiled(self, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        """Return ``function``, whose first argument is images, compiled if the work ahead repays it."""
        passes = 3 * self.recipe.epochs * len(self.data)  # a backward pass costs two forward ones
        if self.curve:
            passes += min(self.recipe.curve_points, self.recipe.epochs) * self.curve.images
        return compiled(function, self.model.body, flops=self.flops * passes, notes=self.ctx.notes)

    @cached_property
    def _logits_of(self) -> LogitsOf:
        return self.compiled(partial(logits_of, self.model.body))

    def to_pixels(self, images: Tensor) -> Tensor:
        """Return images of the body's space as pixels; those of distilled sets may lie outside [0, 1]."""
        assert isinstance(self.model.front, Front), "there is no way back to pixels"
        return self.model.front.inverse(images)

    def is_made(self, epoch: int) -> bool:
        """Say whether the curve has this pass already, counted from 0."""
        return self.curve is not None and epoch < len(self.curve.losses)

    def record(self, epoch: int, mean_loss: float) -> None:
        """End a pass: refuse a loss that is not finite, and measure the model where the recipe wants a point."""
        if not mean_loss < float("inf"):
            raise Diverged(f"training diverged: the loss is {mean_loss} in epoch {epoch + 1}; try a smaller lr.")
        if self.curve:
            self.curve.losses.append(mean_loss)
            if self.recipe.is_measured(epoch):
                self.curve.measure(self.model, epoch + 1, self._logits_of)
