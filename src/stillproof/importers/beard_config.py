"""BEARD's JSON configurations: what they ask, as the parameters of a suite and as commands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stillproof.core.components import augmentations, distillers
from stillproof.core.dsa_strategy import WITH_FLIP
from stillproof.core.errors import BadInput
from stillproof.core.reference import write_reference
from stillproof.core.spec import Json
from stillproof.importers.beard_names import ATTACKS, CLEAN, DATASETS, NETWORKS, cannot_aim, known

FORMAT = "beard-config"
TRAINING, ATTACKING = "accuracy", "beard"  # the suites that answer
NEEDED = ("dataset", "model", "method", "ipc")
NONE = (None, "", "None", "none", False)
# BEARD's adversarial training: PGD from the image itself, with its step of 2/225.
DEFENCE = "pgd-at:random_start=false:step=2/225"
IN_PIXELS = (
    "its adversarial training attacks normalised images; here the attacks of training act in pixels, where 8/255 is "
    "about four times as much"
)
UNTARGETED_DEFENCE = "its adversarial training aims at the class after the image's own; here any wrong class will do"
OTHER_MODELS = "load_file_model"
NO_TRANSFER = "it also judges the changed images by other models, which is left out: ask for stage `transfer` instead"
_NOTHING_MORE: Json = {"sections": ["scores"], "targeted_attacks": [], "defences": []}


@dataclass(frozen=True)
class SuiteConfig:
    """A configuration as a suite takes it.

    Args:
        suite: The suite.
        params: Its parameters.
        commands: The same attacks on the very model that it loads, as commands.
        found: What was found out about it, one sentence each.
    """

    suite: str
    params: Json
    commands: tuple[str, ...] = ()
    found: tuple[str, ...] = field(default=())


def is_config(path: Path) -> bool:
    """Say whether a file is named as a configuration is."""
    return path.is_file() and path.suffix.lower() == ".json"


def read_config(path: Path) -> SuiteConfig:
    """Read a configuration for training, or for attacks.

    Raises:
        BadInput: It is no JSON object, lacks something, or names what there is not.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as JSON: {error}.") from error
    if not isinstance(values, dict):
        raise BadInput(f"{path} is no configuration of BEARD: it holds no JSON object.")
    missing = [name for name in NEEDED if name not in values]
    if missing:
        raise BadInput(f"{path} says nothing of {' and '.join(missing)}: a configuration of BEARD has all of them.")
    return _Reader(path, values).read()


@dataclass(frozen=True)
class _Reader:
    path: Path
    values: Mapping[str, Any]

    def read(self) -> SuiteConfig:
        dataset = known("data set", str(self.values["dataset"]), DATASETS)
        network = known("network", str(self.values["model"]), NETWORKS)
        recipe, real = self._recipe(), self._is_real()
        methods = [] if real else [self._method()]
        params: Json = {
            "dataset": [dataset],
            "methods": methods,
            "ipc": [self._number("ipc")],
            "seeds": 1,
            "network": [network],
            "recipe": recipe,
            "full_recipe": recipe if real else "",
            "protocol": "faithful",
            "scale": "paper",
        }
        found = [f"trains {network} on {'all real images' if real else methods[0]} of {dataset} by recipe {recipe}"]
        more, commands = self._attacked() | self._defended(), self._commands(dataset)
        if not more:
            return SuiteConfig(TRAINING, params, commands, tuple(found))
        attacks = [*more["attacks"], *(f"{attack} (targeted)" for attack in more.get("targeted_attacks", ()))]
        found.append(f"and attacks it with {', '.join(attacks)}")
        found += [IN_PIXELS] if more.get("defences") else []
        found += [UNTARGETED_DEFENCE] if more.get("defences") and self._aims() == [True] else []
        found += [NO_TRANSFER] if any(key.startswith(OTHER_MODELS) for key in self.values) else []
        return SuiteConfig(ATTACKING, params | _NOTHING_MORE | more, commands, tuple(found))

    def _is_real(self) -> bool:
        """Say whether all real images are trained on; where a model is loaded, the key says nothing."""
        return bool(self.values.get("src_dataset")) and "load_file" not in self.values

    def _method(self) -> str:
        """Return the set that is trained on if its file is there, else our form of the method.

        BEARD takes the first experiment of a file; ``aug`` says whether each image holds four.
        """
        method, file = str(self.values["method"]), self.values.get("data_file")
        place = (self.path.parent / str(file)) if file not in NONE else None
        if place is not None and place.exists():
            decode = "grid2x2" if self.values.get("aug", False) not in NONE else "none"
            return write_reference(method, {"artifact": place.resolve(), "experiment": 0, "decode": decode})
        if method.lower() in distillers.entries():
            return method.lower()
        raise BadInput(
            f"{self.path}: neither is there a file {place or 'data_file'}, nor a distiller called {method!r}: "
            "put the set beside the configuration."
        )

    def _recipe(self) -> str:
        params: dict[str, object] = {}
        strategy = self.values.get("dsa_strategy", WITH_FLIP)
        if strategy in NONE:
            params["augment"] = "none"
        elif strategy != WITH_FLIP:
            augmentations.build("dsa", {"strategy": strategy})  # refuses what it does not know
            params["augment"] = f"dsa(strategy={strategy})"
        for theirs, ours in (("lr_net", "lr"), ("batch_train", "batch")):
            if theirs in self.values:
                params[ours] = self._number(theirs)
        if "epoch_eval_train" in self.values:  # counted to inclusive; the step size falls after the middle
            epochs = int(self._number("epoch_eval_train"))
            params |= {"epochs": epochs + 1, "decay_epochs": epochs // 2 + 2}
        return write_reference("beard", params)

    def _defended(self) -> Json:
        """Return what adversarial training adds to the parameters; PGD judges it where no attack is named."""
        attack = self.values.get("train_attack")
        if attack in NONE:
            return {}
        if attack != "PGD":
            raise BadInput(f"{self.path}: train_attack {attack!r} is not known: BEARD trains with PGD or None.")
        judged = {} if self._attack_names() else {"attacks": ["pgd"], "targeted_attacks": []}
        return {"sections": ["defences"], "defences": [DEFENCE]} | judged

    def _attacked(self) -> Json:
        """Return what attacks add to the parameters."""
        names, aims = self._attack_names(), self._aims()
        if not names:
            return {}
        untargeted, targeted = list(names.values()) if False in aims else [], _aimed(names) if True in aims else []
        if not untargeted and not targeted:
            raise BadInput(f"{self.path}: {', '.join(names)} cannot aim, and target_attack asks for nothing else.")
        return {"attacks": untargeted, "targeted_attacks": targeted}

    def _attack_names(self) -> dict[str, str]:
        """Return the attacks by their names there; no attack is none."""
        asked = self.values.get("test_attack")
        wanted = [] if asked in NONE else asked if isinstance(asked, list) else [asked]
        return {name: ours for name in map(str, wanted) if (ours := known("attack", name, ATTACKS)) != "none"}

    def _aims(self) -> list[bool]:
        aims = self.values.get("target_attack", False)
        return [bool(aim) for aim in (aims if isinstance(aims, list) else [aims])]

    def _commands(self, dataset: str) -> tuple[str, ...]:
        """Return the attacks on the very model that is loaded; where there are none, its clean accuracy is asked."""
        file, names = self.values.get("load_file"), self._attack_names() or {CLEAN: "none"}
        if file is None:
            return ()
        place = self.path.parent / str(file)
        model = place.resolve() if place.exists() else file
        command = f"stillproof attack {model} --dataset {dataset} --protocol faithful"
        asked = {True: ("--targeted", _aimed(names)), False: ("", list(names.values()))}
        forms = [asked[aim] for aim in self._aims()]
        return tuple(f"{command} --attack {','.join(attacks)} {flag}".rstrip() for flag, attacks in forms if attacks)

    def _number(self, name: str) -> float | int:
        try:
            value = float(self.values[name])
        except (TypeError, ValueError):
            raise BadInput(f"{self.path}: {name} is {self.values[name]!r}, where a number is needed.") from None
        if not value > 0:
            raise BadInput(f"{self.path}: {name} is {value:g}, where a number above 0 is needed.")
        return int(value) if value.is_integer() else value


def _aimed(names: Mapping[str, str]) -> list[str]:
    """Return those attacks, by their names there, that have a targeted form."""
    return [ours for theirs, ours in names.items() if not cannot_aim(theirs)]
