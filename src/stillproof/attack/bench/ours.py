"""Our own attacks, with as many steps as fit a number of passes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from torch import Tensor

from stillproof.attack.base.attack import Attack, attack_of
from stillproof.attack.base.norms import Norm
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import run_attack
from stillproof.attack.bench.contestant import Contestant
from stillproof.attack.bench.metered import Metered
from stillproof.core.components import attacks
from stillproof.core.context import Context
from stillproof.core.index import Entry

LENGTHS = ("steps", "queries")  # parameters that say how long an attack goes on
# Not asked, and why.
ABSENT: Mapping[str, str] = {
    "none": "it changes nothing",
    "autoattack": "it is several of the others",
    "onepixel": "it limits the number of pixels, and no size",
}
CHANGED: Mapping[str, Mapping[str, Any]] = {"cw": {"searches": 5}}  # one weight does not fit all images


def ours(norm: Norm, context: Context) -> list[Contestant]:
    """Return all our attacks that have a norm."""
    found = []
    for name, entry in attacks.entries().items():
        if name in ABSENT or not _is_an_attack_of_its_own(entry):
            continue
        given = dict(CHANGED.get(name, {})) | ({"norm": norm} if "norm" in entry.params else {})
        if not _exists(name, given) or (attack := attack_of(name, given)).measured_in != norm:
            continue
        if attack.radius is None:
            found.append(Contestant(name, "stillproof", free=partial(_free, name, given, context)))
        else:
            found.append(Contestant(name, "stillproof", within=partial(_within, name, given, context)))
    return found


def fitted(name: str, given: Mapping[str, Any], passes: int) -> Attack:
    """Return an attack that takes at most so many passes for one image, as far as its length can be chosen."""
    key = next((key for key in LENGTHS if key in attacks.entry(name).params), None)
    if key is None:
        return attack_of(name, given)
    one, two = (attack_of(name, {**given, key: length}).passes for length in (1, 2))
    length = 1 + int(max(0.0, passes - one) // (two - one)) if two > one else 1
    return attack_of(name, {**given, key: length})


def _is_an_attack_of_its_own(entry: Entry) -> bool:
    """Say whether a name is no short form of another one; another loss makes another attack."""
    if entry.below:  # a library, whose attacks take part under names of their own
        return False
    if entry.name == entry.family:
        return True
    return "loss" in entry.fixed and attack_of(entry.name) != attack_of(entry.family)


def _exists(name: str, given: Mapping[str, Any]) -> bool:
    """Say whether an attack has a form with these parameters; DeepFool has none in L1."""
    try:
        attack_of(name, given)
    except Exception as error:
        if "norm" in str(error):
            return False
        raise
    return True


def _free(
    name: str, given: Mapping[str, Any], ctx: Context, model: Metered, images: Tensor, labels: Tensor, passes: int
) -> None:
    run_attack(fitted(name, given, passes), model.forward, images, labels, ctx=ctx, rules=_rules(model))


def _within(
    name: str,
    given: Mapping[str, Any],
    ctx: Context,
    model: Metered,
    images: Tensor,
    labels: Tensor,
    passes: int,
    eps: float,
) -> None:
    run_attack(fitted(name, {**given, "eps": eps}, passes), model.forward, images, labels, ctx=ctx, rules=_rules(model))


def _rules(model: Metered) -> Rules:
    """Return how an attack is run: the model itself remembers what fooled it, and asks again where that is needed."""
    return Rules(early_exit=model.draws is None, draws=0)
