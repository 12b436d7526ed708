"""Balls of attacks of adversarial-robustness-toolbox, and the norms that others are measured in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stillproof.attack.base.norms import Norm

NORMS: Mapping[Any, Norm] = {1: "L1", "1": "L1", 2: "L2", "2": "L2", float("inf"): "Linf", "inf": "Linf"}
# Their eps is the radius of a ball, in the norm that they are given, or in Linf; that of others means something else.
BALLS = (
    "AutoAttack",
    "AutoConjugateGradient",
    "AutoProjectedGradientDescent",
    "BasicIterativeMethod",
    "FastGradientMethod",
    "MomentumIterativeMethod",
    "ProjectedGradientDescent",
    "ProjectedGradientDescentNumpy",
    "ProjectedGradientDescentPyTorch",
    "RescalingAutoConjugateGradient",
    "SquareAttack",
)


def art_ball(name: str, options: Mapping[str, Any]) -> tuple[Norm, float | None]:
    """Return the norm that an attack is measured in, and the radius of its ball; None if it has none.

    Args:
        name: Its class.
        options: All its options, defaults among them.
    """
    inside = name in BALLS
    usual: Norm = "Linf" if inside else "L2"
    return NORMS.get(options.get("norm"), usual), float(options["eps"]) if inside else None
