"""BEARD's scores of robustness: how much attacks leave of a model, and how long they take, against the worst of them.

Accuracies are fractions and times are seconds. The formulas are those of BEARD's published tables, on what attacks come
to over all test images.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import BadInput, Unsupported

# One value, or one per model; and what several attacks left of it, for one model or for each.
Clean: TypeAlias = float | Sequence[float]
Attacked: TypeAlias = Sequence[float] | Sequence[Sequence[float]]


@dataclass(frozen=True)
class AttackPool:
    """Attacks on several models, whose worst a single attack is measured against.

    Args:
        name: What people call it.
        clean: One value per model: its clean accuracy, or the seconds of clean predictions.
        attacked: For each model, the value under each attack.
    """

    name: str
    clean: Sequence[float]
    attacked: Sequence[Sequence[float]]

    def largest(self, sign: int) -> float:
        """Return the largest change of a model's value by one of its own attacks: upwards, or with -1 downwards."""
        clean, lists = _models(self.clean, self.attacked)
        return max(float((sign * (one - clean[number])).max()) for number, one in enumerate(lists))


def robustness_ratio(clean_accuracy: Clean, attacked_accuracies: Attacked, *, pool: AttackPool | None = None) -> float:
    """Return RR: 1 - (clean - mean attacked) / (clean - lowest attacked); 0 if all attacks are as bad as the worst.

    Several models are pooled as BEARD does it: the mean of their clean accuracies, and all attacks together.

    Args:
        clean_accuracy: Before the attacks; a sequence has one for each model.
        attacked_accuracies: Under each attack; for several models, one list per model.
        pool: Accuracies whose largest loss takes the place of that of the attacks themselves, as a single one needs it.

    Raises:
        Unsupported: No attack takes anything away, or there is only one and no pool.
    """
    clean, attacked = _pooled(clean_accuracy, attacked_accuracies)
    _check_fractions(clean, attacked, *_values_of(pool))
    lost = float(clean.mean() - attacked.mean())
    return 1 - lost / _worst(float(clean.mean() - attacked.min()), len(attacked), pool, -1, "takes accuracy away")


def attack_efficiency(clean_seconds: Clean, attack_seconds: Attacked, *, pool: AttackPool | None = None) -> float:
    """Return AE: (mean of attacks - clean) / (slowest attack - clean); large where even the quicker attacks are slow.

    BEARD's paper takes the clean time of the targeted or of the untargeted pass, to which the attacks belong; its
    toolkit takes the smaller of the two.

    Args:
        clean_seconds: A pass over the test images without attack; a sequence has one for each model.
        attack_seconds: Time of each attack; for several models, one list per model.
        pool: Times whose largest excess takes the place of that of the attacks themselves.

    Raises:
        Unsupported: No attack takes longer than no attack, or there is only one and no pool.
    """
    clean, attacked = _pooled(clean_seconds, attack_seconds)
    _check_times(clean, attacked, *_values_of(pool))
    spent = float(attacked.mean() - clean.mean())
    return spent / _worst(float(attacked.max() - clean.mean()), len(attacked), pool, 1, "takes more time")


def crei(rr: float, ae: float, alpha: float = 0.5) -> float:
    """Return CREI: alpha * RR + (1 - alpha) * AE."""
    if not 0 <= alpha <= 1:
        raise BadInput(f"alpha = {alpha:g} is not allowed: a weight lies between 0 and 1.")
    return alpha * rr + (1 - alpha) * ae


def mean_accuracy(attacked_accuracies: Attacked) -> float:
    """Return the mean accuracy under attack, over all attacks of all models."""
    flat = _flat(attacked_accuracies)
    _check_fractions(flat)
    return float(flat.mean())


def _worst(own: float, attacks: int, pool: AttackPool | None, sign: int, does: str) -> float:
    """Return the denominator of a ratio; ``sign`` says which way attacks change values."""
    if pool is None:
        if attacks == 1:
            raise Unsupported("one attack alone is its own worst, so that the ratio says nothing: name a pool.")
        if own <= 0:
            raise Unsupported(f"no attack {does}, so that the ratio is not defined.")
        return own
    most = pool.largest(sign)
    if most <= 0:
        raise Unsupported(f"no attack of the pool {pool.name!r} {does}, so that the ratio is not defined.")
    if own > most * (1 + 1e-9):
        raise BadInput(f"an attack changes more than any of the pool {pool.name!r} ({own:g} > {most:g}): add it there.")
    return most


def _pooled(clean: Clean, attacked: Attacked) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the clean values of all models, and those of all attacks in one row."""
    if np.ndim(clean) == 0:
        before, lists = _models([cast(float, clean)], cast("Sequence[Sequence[float]]", [attacked]))
    else:
        before, lists = _models(cast("Sequence[float]", clean), cast("Sequence[Sequence[float]]", attacked))
    return before, np.concatenate(lists)


def _values_of(pool: AttackPool | None) -> list[NDArray[np.float64]]:
    """Return all values of a pool, to be checked as those of the attacks are."""
    if pool is None:
        return []
    clean, lists = _models(pool.clean, pool.attacked)
    return [clean, *lists]


def _models(
    clean: Sequence[float], attacked: Sequence[Sequence[float]]
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    before, lists = np.asarray(clean, np.float64), [np.asarray(one, np.float64) for one in attacked]
    if len(before) != len(lists) or not len(lists) or any(one.ndim != 1 or not len(one) for one in lists):
        raise BadInput(
            f"{len(before)} clean values and {len(lists)} lists of attacks do not fit: "
            "each model needs one clean value and at least one attack."
        )
    return before, lists


def _flat(attacked: Attacked) -> NDArray[np.float64]:
    flat = np.concatenate([np.atleast_1d(np.asarray(one, np.float64)) for one in attacked] or [np.empty(0)])
    if not len(flat):
        raise BadInput("the mean of no attack is not defined: give at least one.")
    return flat


def _check_fractions(*arrays: NDArray[np.float64]) -> None:
    values = np.concatenate(arrays)
    wrong = values[~((values >= 0) & (values <= 1))]  # also what is not a number
    if wrong.size:
        raise BadInput(
            f"{wrong[0]:g} is not allowed: an accuracy is a fraction between 0 and 1 (divide percent by 100)."
        )


def _check_times(*arrays: NDArray[np.float64]) -> None:
    values = np.concatenate(arrays)
    wrong = values[~((values >= 0) & (values < np.inf))]
    if wrong.size:
        raise BadInput(f"{wrong[0]:g} is not allowed: a time is a number of seconds, 0 or more.")
