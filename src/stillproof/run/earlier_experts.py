"""The first epochs of an expert's training, if an expert of another length has made them."""

from __future__ import annotations

from stillproof.core.errors import Corrupt
from stillproof.core.spec import Json
from stillproof.run.stage import Job, answer_of
from stillproof.train.recipe import Recipe
from stillproof.train.trajectory import Trajectory

_LENGTH = ("epochs", "curve_points")


def begun_trajectory(job: Job, recipe: Recipe) -> Trajectory:
    """Return the trajectory as far as the store has it, at most to the recipe's end; an empty one if it has none.

    Experts of two lengths go the same way as long as both last, where an epoch depends on nothing but the weights
    before it: under plain SGD with one step size.
    """
    if recipe.optimiser != "sgd" or recipe.momentum or recipe.schedule != "steps" or recipe.decay_epochs:
        return Trajectory()
    specs = job.store.results.specs("expert")
    wanted, best = _without_length(specs[job.cell]), Trajectory()
    for cell, spec in specs.items():
        record = job.store.results.get(cell)
        if _without_length(spec) != wanted or record is None or record.status != "done" or not _every_epoch(spec):
            continue
        answer = answer_of(cell, job.store)
        try:
            points = job.store.artifacts.read(answer["artifact"]).tensors["weights"][: recipe.epochs + 1]
        except Corrupt:  # its own readers will say so; here it is only not used
            continue
        if len(points) > len(best.points):
            best = Trajectory([point.clone() for point in points], answer["losses"][: len(points) - 1])
    return best


def _without_length(spec: Json) -> Json:
    return spec | {"recipe": {key: value for key, value in spec["recipe"].items() if key not in _LENGTH}}


def _every_epoch(spec: Json) -> bool:
    recipe = spec["recipe"]  # what is as in Recipe is left out
    return bool(recipe.get("curve_points", Recipe.curve_points) >= recipe.get("epochs", Recipe.epochs))
