"""How many passes attacks of adversarial-robustness-toolbox take for one image, so that work can be foreseen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Passes = Callable[[Mapping[str, Any]], Any]  # all options -> passes, forward and backward: a number
CLASSES = 10
STEPS = ("max_iter", "nb_steps", "num_steps", "n_steps", "steps")
UNKNOWN = 100.0  # of an attack without steps


PASSES: Mapping[str, Passes] = {
    "SaliencyMapMethod": lambda o: 600.0,  # two pixels in each step, until the class is reached
    "DeepFool": lambda o: min(10.0, o["max_iter"]) * (2 + CLASSES),
    "UniversalPerturbation": lambda o: 10.0 * (2 + CLASSES),
    "NewtonFool": lambda o: 1 + 3.0 * o["max_iter"],
    "BoundaryAttack": lambda o: o["init_size"] + 1.4 * o["sample_size"] * o["max_iter"],
    "ElasticNet": lambda o: 6.0 * o["binary_search_steps"] * o["max_iter"],
    "CarliniL2Method": lambda o: 4.0 * o["binary_search_steps"] * o["max_iter"],
    "ZooAttack": lambda o: 3 + o["binary_search_steps"] * o["max_iter"] * (2 * o["nb_parallel"] + 1.0),
    "SpatialTransformation": lambda o: 1.0 + o["num_translations"] ** 2 * o["num_rotations"],
    "HopSkipJump": lambda o: 490.0 * o["max_iter"],
    "SimBA": lambda o: 2 + min(2.0 * o["max_iter"], 1700.0),
    "ShadowAttack": lambda o: 1 + 2.0 * o["nb_steps"] * o["batch_size"],
    "GeoDA": lambda o: 1.0 * o["max_iter"],
    "Wasserstein": lambda o: 2 + 3.0 * o["max_iter"],
    "SquareAttack": lambda o: 2.0 * o["max_iter"] * o["nb_restarts"],
    "FastGradientMethod": lambda o: 2.0 * max(1, o["num_random_init"]),
    "PixelAttack": lambda o: 7_000.0,
    "ThresholdAttack": lambda o: 7_000.0,
    "AutoAttack": lambda o: 10_000.0,
}


def art_passes(name: str, options: Mapping[str, Any]) -> float:
    """Return the most passes of one image, as a rule: the clean one, those of the attack, and what came of it.

    Args:
        name: The class.
        options: All options, defaults among them.
    """
    if name in PASSES:
        return 2 + float(PASSES[name](options))
    steps = next((float(options[key]) for key in STEPS if isinstance(options.get(key), int)), UNKNOWN / 2)
    restarts = max(1, options.get("nb_random_init", 1) or 1, options.get("num_random_init", 1) or 1)
    return 2 + 2 * steps * restarts
