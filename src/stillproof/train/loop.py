"""Training as every recipe, suite and embedding asks for it."""

from __future__ import annotations

from stillproof.core.context import Context
from stillproof.train.curve import Curve
from stillproof.train.model import TrainedModel
from stillproof.train.objective import objective_of
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
) -> None:
    """Train ``model`` in place, as the recipe's objective does it; its accuracy is measured only if there is a curve.

    Args:
        model: The model.
        data: Training images in the body's space.
        recipe: How to train.
        ctx: The cell's context.
        curve: Takes measurements and keeps weights.
        flops: One image's forward pass, for the decision whether compiling repays.
    """
    data.source.check(recipe)
    model.train()
    objective = objective_of(recipe.objective)
    training = Training(model, data, recipe, ctx, curve, flops * objective.passes)
    data.source.begin(training)
    objective.fit(training)
    model.eval()
