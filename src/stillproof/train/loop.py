"""Training as every recipe, suite and embedding asks for it."""

from __future__ import annotations

from stillproof.core.context import Context
from stillproof.train.curve import Curve
from stillproof.train.model import TrainedModel
from stillproof.train.objective import Objective, objective_of
from stillproof.train.recipe import Recipe
from stillproof.train.train_data import TrainData
from stillproof.train.training import Training
from stillproof.train.trajectory import Trajectory


def fit(
    model: TrainedModel,
    data: TrainData,
    recipe: Recipe,
    ctx: Context,
    *,
    curve: Curve | Trajectory | None = None,
    flops: float = 0,
    defence: Objective | None = None,
) -> None:
    """Train ``model`` in place, as the recipe's objective or a defence does it.

    Its accuracy is measured only if there is a curve.

    Args:
        model: The model.
        data: Training images in the body's space.
        recipe: How to train.
        ctx: The cell's context.
        curve: Takes measurements and keeps weights.
        flops: One image's forward pass, for the decision whether compiling repays.
        defence: An objective that is built on the recipe's own, and takes its place.
    """
    data.source.check(recipe)
    model.train()
    objective = objective_of(recipe.objective)
    passes = objective.passes * (defence.passes if defence else 1.0)
    training = Training(model, data, recipe, ctx, curve, flops * passes)
    data.source.begin(training)
    (defence or objective).fit(training)
    model.eval()
