"""What a configuration of BEARD says: its values, what it trains on and how, and what it attacks and defends with."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stillproof.core.components import augmentations, distillers
from stillproof.core.dsa_strategy import WITH_FLIP
from stillproof.core.errors import BadInput
from stillproof.core.reference import write_reference
from stillproof.core.spec import Json
from stillproof.core.stand_ins import MOST_SHOWN
from stillproof.importers.beard_names import ATTACKS, DATASETS, NETWORKS, cannot_aim, known

NONE = (None, "", "None", "none", False)
# BEARD's adversarial training: PGD from the image itself, with its step of 2/225.
DEFENCE = "pgd-at:random_start=false:step=2/225"


@dataclass(frozen=True)
class BeardValues:
    """What a configuration says; what it does not say has BEARD's default."""

    path: Path
    values: Mapping[str, Any]

    @property
    def dataset(self) -> str:
        """Return the data set, by its name here."""
        return known("data set", str(self.values["dataset"]), DATASETS)

    @property
    def network(self) -> str:
        """Return the network, by its name here."""
        return known("network", str(self.values["model"]), NETWORKS)

    @property
    def attacks(self) -> dict[str, str]:
        """Return the attacks by their names there, with those here; no attack is none."""
        asked = self.values.get("test_attack")
        wanted = [] if asked in NONE else asked if isinstance(asked, list) else [asked]
        return {name: ours for name in map(str, wanted) if (ours := known("attack", name, ATTACKS)) != "none"}

    @property
    def aims(self) -> list[bool]:
        """Return whether attacks are targeted, untargeted, or both in turn."""
        aims = self.values.get("target_attack", True)
        return [bool(aim) for aim in (aims if isinstance(aims, list) else [aims])]

    @property
    def loads_model(self) -> bool:
        """Say whether it attacks an existing model instead of training one."""
        return self.values.get("load_file") not in NONE

    def is_set(self, name: str) -> bool:
        """Say whether a switch is on; all are off by default."""
        return self.values.get(name) not in NONE

    def place(self, name: str) -> Path | None:
        """Return the file that a value names, seen from the configuration's folder; nothing if it names none."""
        return None if self.values.get(name) in NONE else self.path.parent / str(self.values[name])

    def number(self, name: str) -> float | int:
        """Return a number above 0."""
        try:
            value = float(self.values[name])
        except (TypeError, ValueError, OverflowError):
            said = repr(self.values[name])[:MOST_SHOWN]
            raise BadInput(f"{self.path}: {name} is {said}, where a number is needed.") from None
        if not 0 < value < math.inf:
            raise BadInput(f"{self.path}: {name} is {value:g}, where a finite number above 0 is needed.")
        return int(value) if value.is_integer() else value


def is_real(config: BeardValues) -> bool:
    """Say whether all real images are trained on; where a model is loaded, the key says nothing."""
    return config.is_set("src_dataset") and not config.loads_model


def has_method(config: BeardValues) -> bool:
    """Say whether there is a set to train on, or a distiller that makes one."""
    place = config.place("data_file")
    return (place is not None and place.exists()) or str(config.values["method"]).lower() in distillers.entries()


def method_of(config: BeardValues) -> str:
    """Return the set that is trained on if its file is there, else our form of the method.

    BEARD takes the first experiment of a file; ``aug`` says whether each image holds four.
    """
    method, place = str(config.values["method"]), config.place("data_file")
    if place is not None and place.exists():
        decode = "grid2x2" if config.is_set("aug") else "none"
        return write_reference(_set_name(method), {"artifact": place.resolve(), "experiment": 0, "decode": decode})
    if not has_method(config):
        raise BadInput(
            f"{config.path}: neither is there a file {place or 'data_file'}, nor a distiller called {method!r}: "
            "put the set beside the configuration."
        )
    return method.lower()


def _set_name(method: str) -> str:
    """Return a name for a set that no distiller has."""
    name = re.sub(r"[^\w.+-]+", "-", method).strip("-") or "set"
    return name.upper() if name in distillers.entries() else name


def recipe_of(config: BeardValues) -> str:
    """Return recipe ``beard`` with what the configuration says of it; batches of real images are always its own."""
    params: dict[str, object] = {}
    augmentation = _augmentation(config)
    if augmentation is not None:
        params["augment"] = augmentation
    for theirs, ours in (("lr_net", "lr"), ("batch_train", "batch")):
        if theirs in config.values and not (ours == "batch" and is_real(config)):
            params[ours] = config.number(theirs)
    if "epoch_eval_train" in config.values:  # counted to inclusive; the step size falls after the middle
        epochs = int(config.number("epoch_eval_train"))
        params |= {"epochs": epochs + 1, "decay_epochs": epochs // 2 + 2}
    return write_reference("beard", params)


def _augmentation(config: BeardValues) -> str | None:
    """Return another augmentation than that of the recipe; without DSA it is that of DC's authors, if they have one."""
    strategy = config.values.get("dsa_strategy", WITH_FLIP)
    if strategy in NONE:
        if config.values["model"] == "ConvNetBN":
            return "dc-aug(strategy=crop_noise)"
        return "dc-aug" if config.dataset == "mnist" else "none"
    if strategy == WITH_FLIP:
        return None
    augmentations.build("dsa", {"strategy": strategy})  # refuses what it does not know
    return f"dsa(strategy={strategy})"


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
