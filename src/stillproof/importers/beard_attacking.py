"""What a configuration of BEARD attacks with, and what it defends a training with."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.importers.beard_names import NETWORKS, cannot_aim
from stillproof.importers.beard_values import BeardValues

# BEARD's adversarial training: PGD from the image itself, with its step of 2/225.
DEFENCE = "pgd-at:random_start=false:step=2/225"


def attacked(config: BeardValues) -> Json:
    """Return what attacks add to the parameters of suite beard; nothing if there are none."""
    names, aims = config.attacks, config.aims
    if not names:
        return {}
    untargeted, targeted = list(names.values()) if False in aims else [], _aimed(names) if True in aims else []
    if not untargeted and not targeted:
        raise BadInput(f"{config.path}: {', '.join(names)} cannot aim, and target_attack asks for nothing else.")
    return {"attacks": untargeted, "targeted_attacks": targeted}


def defended(config: BeardValues) -> Json:
    """Return what adversarial training adds to the parameters; PGD judges it where no attack is named."""
    if not config.is_set("train_attack"):
        return {}
    if (attack := config.values["train_attack"]) != "PGD":
        raise BadInput(f"{config.path}: train_attack {attack!r} is not known: BEARD trains with PGD or None.")
    judged = {} if config.attacks else {"attacks": ["pgd"], "targeted_attacks": []}
    return {"sections": ["defences"], "defences": [DEFENCE]} | judged


def commands_of(config: BeardValues) -> tuple[str, ...]:
    """Return the attacks on the very model that is loaded; where there are none, its clean accuracy is asked."""
    place = config.place("load_file")
    if place is None:
        return ()
    model = str(place.resolve()) if place.exists() else str(config.values["load_file"])
    command = f"stillproof attack {shlex.quote(model)} --dataset {config.dataset} --protocol faithful"
    if config.network != NETWORKS["ConvNet"]:
        command += f" --network {config.network}"
    if not config.attacks:
        return (f"{command} --attack none",)
    asked = {True: (_aimed(config.attacks), " --targeted"), False: (list(config.attacks.values()), "")}
    forms = [asked[aim] for aim in config.aims]
    return tuple(f"{command} --attack {','.join(attacks)}{flag}" for attacks, flag in forms if attacks)


def _aimed(names: Mapping[str, str]) -> list[str]:
    """Return those attacks, by their names there, that have a targeted form."""
    return [ours for theirs, ours in names.items() if not cannot_aim(theirs)]
