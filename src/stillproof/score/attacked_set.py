"""What an attacked data set comes to: how often its images turn a model, as floats and as bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stillproof.score.robust_curve import wilson  # whose generation is part of the names of attacked sets

WAYS = {"float": "said", "rounded": "rounded", "truncated": "truncated"}  # what images are kept as, and the answers
SIZES = ("linf", "l2", "l1")


def attacked_set_summary(found: Mapping[str, ArrayLike]) -> dict[str, Any]:
    """Return shares, sizes and passes of all images; None stands for what is not known.

    ``success`` counts, of the images that the model has right before, those that it has wrong after the attack.

    Args:
        found: One value per image of ``labels`` and, as far as they are known, of ``clean``, ``said``, ``rounded``,
            ``truncated``, the sizes ``linf``, ``l2`` and ``l1`` of the changes, ``forwards`` and ``backwards``.
    """
    values = {name: np.asarray(value) for name, value in found.items() if name != "images"}
    sizes = {f"median_{name}": float(np.median(values[name])) if name in values else None for name in SIZES}
    passes = float((values["forwards"] + values["backwards"]).mean()) if "forwards" in values else None
    return {"n": len(values["labels"]), **_answers(values), "passes_per_image": passes, **sizes}


def _answers(values: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Return what comes of the answers of a model, if it was asked of the images before and after the attack."""
    labels = values["labels"]
    if not values.keys() >= {"clean", *WAYS.values()}:
        return dict.fromkeys(("right", "clean_accuracy", "robust_accuracy", "turned", "success", "success_ci95"))
    right = values["clean"] == labels
    n, n_right = len(labels), int(right.sum())
    turned = {way: int((right & (values[said] != labels)).sum()) for way, said in WAYS.items()}
    return {
        "right": n_right,
        "clean_accuracy": n_right / n,
        "robust_accuracy": (n_right - turned["float"]) / n,
        "turned": turned,
        "success": {way: count / n_right if n_right else None for way, count in turned.items()},
        "success_ci95": {way: list(wilson(count, n_right)) if n_right else None for way, count in turned.items()},
    }
