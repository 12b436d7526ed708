"""What BEARD's scores are made of: a quantity of each model without an attack and under each of its attacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from stillproof.core.errors import Unsupported
from stillproof.score.metric import AttackedModel, UnderAttack
from stillproof.score.robustness import AttackPool

Cost = Literal["seconds", "passes"]
CLEAN_PASSES = 1.0  # without an attack, an image is looked at once
MISSING = "an attack on a model is not computed yet."


@dataclass(frozen=True, slots=True)
class Quantity:
    """One clean value per model, and one list of values under its attacks."""

    clean: Sequence[float]
    attacked: Sequence[Sequence[float]]


Reader: TypeAlias = Callable[[Sequence[AttackedModel]], Quantity]


def accuracies(models: Sequence[AttackedModel]) -> Quantity:
    """Return accuracies.

    Raises:
        Unsupported: One is missing.
    """
    clean = _all_known([model.clean_accuracy for model in models])
    return Quantity(clean, [_all_known([one.accuracy for one in model.attacks.values()]) for model in models])


def seconds(models: Sequence[AttackedModel]) -> Quantity:
    """Return the times of whole passes.

    Raises:
        Unsupported: One is missing.
    """
    clean = _all_known([model.clean_seconds for model in models])
    return Quantity(clean, [_all_known([one.seconds for one in model.attacks.values()]) for model in models])


def passes(models: Sequence[AttackedModel]) -> Quantity:
    """Return the passes to the first success; attacks that turn no image have none, and are left out.

    Raises:
        Unsupported: An attack is missing, or no attack turns an image of some model.
    """
    accuracies(models)  # what is missing is missing here, too
    found = [[one.passes_to_success for one in model.attacks.values()] for model in models]
    known = [[mean for mean in means if mean is not None] for means in found]
    if not all(known):
        raise Unsupported("no attack turns an image of a model, so that there are no passes to a success.")
    return Quantity([CLEAN_PASSES] * len(models), known)


COSTS: Mapping[Cost, Reader] = {"seconds": seconds, "passes": passes}


def pool_of(evidence: UnderAttack, read: Reader) -> AttackPool | None:
    """Return a quantity of the pool that a single attack is measured against; models that lack it are left out."""
    if not evidence.pool:
        return None
    known = [found for model in evidence.pool if (found := _read_or_none(read, model)) is not None]
    return AttackPool("all attacks", [one.clean[0] for one in known], [one.attacked[0] for one in known])


def _read_or_none(read: Reader, model: AttackedModel) -> Quantity | None:
    try:
        return read([model])
    except Unsupported:
        return None


def _all_known(values: Sequence[float | None]) -> list[float]:
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        raise Unsupported(MISSING)
    return known
