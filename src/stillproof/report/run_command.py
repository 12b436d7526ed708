"""The command that asks for a run: what a person would write to compute it again."""

from __future__ import annotations

import shlex
from typing import Any

from stillproof.core.components import suites
from stillproof.core.presets import preset_params
from stillproof.core.reference import list_text
from stillproof.core.spec import Json
from stillproof.store.records import Run

# The parameters that have an option of their own.
FLAGS = ("dataset", "methods", "ipc", "seeds", "network", "recipe", "selection", "protocol", "scale")


def run_command(run: Run) -> str:
    """Return the command, with the options that the scale's preset does not give."""
    usual = _usual(run.suite, run.config)
    options = [
        option(key, value, flag=key in FLAGS)
        for key, value in run.config.items()
        if key in ("dataset", "scale") or usual.get(key) != value
    ]
    return " ".join(("stillproof run", run.suite, *options))


def option(parameter: str, value: Any, *, flag: bool) -> str:
    """Return a parameter of a suite as an option, with whatever quotes a shell needs; with ``flag``, one of its own."""
    text = list_text(value) if isinstance(value, list) else str(value)
    if flag:
        return f"--{parameter} {shlex.quote(text)}"
    return f"--set {shlex.quote(f'{parameter}={text}')}"


def _usual(suite: str, config: Json) -> Json:
    """Return what a suite's parameters are if nothing is said but the scale; nothing is known of one that is not here.

    What a preset cannot stand without, such as the methods, is no usual value either.
    """
    if suite not in suites.entries():
        return {}
    preset = preset_params(suites.get(suite), str(config.get("scale", "quick")), "", 1, suites.entry(suite))
    found: Json = suites.spec(suites.build(suite, preset)).as_dict()["params"]
    return found
