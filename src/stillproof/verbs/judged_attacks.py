"""What attacks left of a model, as scores count it."""

from __future__ import annotations

import dataclasses

import torch

from stillproof.attack_answers import AttackScore, ImageOutcomes
from stillproof.core.errors import BadInput
from stillproof.run.attack_outcomes import judged_within
from stillproof.suites.beard.score_rows import WITHIN


def judged(score: AttackScore) -> AttackScore:
    """Return a score whose ``attacks`` are all its attacks, even if there is only one, as suite beard counts them.

    Under ``fair``, changes of an attack without a ball count within the usual one of L2: given their way, such attacks
    find one for every image.

    Raises:
        BadInput: None of them can be made.
    """
    every = score.attacks or (score,)
    if all(one.reason is not None for one in every):
        raise BadInput(f"none of these attacks can be made on {score.model}: {every[0].reason}")
    return dataclasses.replace(score, attacks=[_within_ball(one) for one in every])


def _within_ball(one: AttackScore) -> AttackScore:
    if one.protocol != "fair" or one.eps is not None or one.outcomes is None:
        return one
    tensors = {name: torch.from_numpy(values) for name, values in one.outcomes.values.items()}
    found = ImageOutcomes.of(judged_within(tensors, "L2", WITHIN))
    return dataclasses.replace(one, robust_accuracy=int(found["robust"].sum()) / one.n, outcomes=found)
