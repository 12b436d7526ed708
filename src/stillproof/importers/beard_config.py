"""BEARD's JSON configurations: what they ask, as the parameters of a suite and as commands."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason
from stillproof.core.regular_file import read_regular_text
from stillproof.core.spec import Json
from stillproof.core.stand_ins import shown
from stillproof.importers.beard_names import NETWORKS
from stillproof.importers.beard_values import (
    BeardValues,
    attacked,
    commands_of,
    defended,
    has_method,
    is_real,
    method_of,
    recipe_of,
)

FORMAT = "beard-config"
TRAINING, ATTACKING = "accuracy", "beard"  # the suites that answer
NEEDED = ("dataset", "model", "method", "ipc")
_NOTHING_MORE: Json = {"sections": ["scores"], "targeted_attacks": [], "defences": []}

# What is otherwise in BEARD's code.
ONE_NETWORK = "its code takes ConvNet whatever `model` says; here the network is the one that it names"
SEVERAL_NETWORKS = tuple("MBWDAPN")
IN_PIXELS = (
    "its adversarial training attacks normalised images; here the attacks of training act in pixels, where 8/255 is "
    "about four times as much"
)
UNTARGETED_DEFENCE = "its adversarial training aims at the class after the image's own; here it is untargeted"
TEST_AUGMENTED = "with `aug` its code augments test images, too, which is left out"
OTHER_MODELS = "load_file_model"
NO_TRANSFER = "it also judges the changed images by other models, which is left out: ask for stage `transfer` instead"


@dataclass(frozen=True)
class SuiteConfig:
    """A configuration as a suite takes it.

    Args:
        suite: The suite; empty if no suite can make the model.
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
        values = json.loads(read_regular_text(path))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"{path} cannot be read as JSON: {plain_reason(error)}.") from error
    if not isinstance(values, dict):
        raise BadInput(f"{path} is no configuration of BEARD: it holds no JSON object.")
    strange = next((key for key, value in values.items() if not f"{key}{value}".isprintable()), None)
    if strange is not None:  # what it says comes to stand in commands and in another configuration
        raise BadInput(f"{path}: the value of {shown(strange)} has letters that cannot be shown.")
    missing = [name for name in NEEDED if name not in values]
    if missing:
        raise BadInput(f"{path} lacks {' and '.join(missing)}: a configuration of BEARD has all of them.")
    return _config(BeardValues(path, values))


def _config(config: BeardValues) -> SuiteConfig:
    recipe, real = recipe_of(config), is_real(config)
    if config.loads_model and not has_method(config):
        why = f"neither a set nor a distiller of {config.values['method']!r} is there: only its model is attacked"
        return SuiteConfig("", {}, commands_of(config), (why, *_differences(config)))
    methods = [] if real else [method_of(config)]
    params: Json = {
        "dataset": [config.dataset],
        "methods": methods,
        "ipc": [config.number("ipc")],
        "seeds": 1,
        "network": [config.network],
        "recipe": recipe,
        "full_recipe": recipe if real else "",
        "protocol": "faithful",
        "scale": "paper",
    }
    on = "all real images" if real else methods[0]
    found = [f"trains {config.network} on {on} of {config.dataset} by recipe {recipe}", *_differences(config)]
    more, commands = attacked(config) | defended(config), commands_of(config)
    if not more:
        return SuiteConfig(TRAINING, params, commands, tuple(found))
    attacks = [*more["attacks"], *(f"{attack} (targeted)" for attack in more["targeted_attacks"])]
    found.insert(1, f"and attacks it with {', '.join(attacks)}")
    return SuiteConfig(ATTACKING, params | _NOTHING_MORE | more, commands, tuple(found))


def _differences(config: BeardValues) -> list[str]:
    """Say what BEARD's code would do otherwise."""
    mode, defence = config.values.get("eval_mode", "S"), config.is_set("train_attack")
    told = {
        ONE_NETWORK: mode in ("S", "SS") and config.network != NETWORKS["ConvNet"],
        f"eval_mode {mode!r} asks for several networks, of which `model` alone is taken": mode in SEVERAL_NETWORKS,
        IN_PIXELS: defence,
        UNTARGETED_DEFENCE: defence and config.aims == [True],
        TEST_AUGMENTED: config.loads_model and config.is_set("aug"),
        NO_TRANSFER: any(key.startswith(OTHER_MODELS) for key in config.values),
    }
    return [sentence for sentence, holds in told.items() if holds]
