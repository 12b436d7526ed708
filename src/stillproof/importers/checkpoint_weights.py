"""The weights in a checkpoint, whatever they are wrapped in, and the names that our networks have for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.stand_ins import shown
from stillproof.nets.body import Body

WRAPPERS = ("state_dict", "model_state_dict", "model", "net")
# What DataParallel and torch.compile put in front of the names inside them.
PREFIX = re.compile(r"(^|(?<=\.))(?:module\.|_orig_mod\.)+")
COUNTER = "num_batches_tracked"  # of batch norm: how often it was trained, which no answer depends on
# torchvision's names in residual networks, and the last layer's in all of them.
RENAMED = ((re.compile(r"\.downsample\."), ".shortcut."), (re.compile(r"^(?:fc|linear)\."), "classifier."))
LAST = frozenset({"classifier", "fc", "linear", "head"})
LINEAR = ("fc", "linear", "hidden", "classifier")
PARTS = ("weight", "bias", "running_mean", "running_var")


def find_weights(content: Any) -> dict[str, Tensor]:
    """Return the tensors of a model by name, without prefixes and counters; nothing if they are not a model's."""
    while isinstance(content, Mapping):
        inner = next((content[key] for key in WRAPPERS if isinstance(content.get(key), Mapping)), None)
        if inner is None:
            break
        content = inner
    if not isinstance(content, Mapping) or not content:
        return {}
    if not all(isinstance(name, str) and isinstance(value, Tensor) for name, value in content.items()):
        return {}
    named = {PREFIX.sub("", name): value for name, value in content.items() if not name.endswith(COUNTER)}
    return named if any(name.endswith("weight") for name in named) else {}


def check_weights(weights: Mapping[str, Tensor], path: Path) -> None:
    """Refuse tensors that are not finite floats."""
    for name, value in weights.items():
        if not value.is_floating_point() or not bool(value.isfinite().all()):
            raise BadInput(f"{path}: {shown(name)} does not hold finite numbers.")


def rename_weights(weights: Mapping[str, Tensor], body: Body, network: str, path: Path) -> dict[str, Tensor]:
    """Return the state of ``body`` with the values of ``weights``.

    Names are matched first; where they differ, layers are paired in the order in which images pass them.

    Args:
        weights: Tensors by their foreign names.
        body: The network, whose own values are not read.
        network: What messages call it.
        path: The file, for messages.

    Raises:
        BadInput: Names the first tensor that does not fit.
    """
    state = body.state_dict()
    ours = [name for name in state if not name.endswith(COUNTER)]
    pairs = _pairs(weights, ours)
    for own, foreign in pairs:
        expected, found = tuple(state[own].shape), tuple(weights[foreign].shape)
        if expected != found or own.rpartition(".")[2] != foreign.rpartition(".")[2]:
            raise BadInput(
                f"{path}: {shown(foreign)} {found} does not fit {own} {expected} of {network}: name the right "
                "network and data set."
            )
    lacking = [own for own in ours if own not in dict(pairs)]
    if lacking:
        raise BadInput(f"{path} lacks {lacking[0]} of {network}: name the right network.")
    over = [foreign for foreign in in_order(weights) if foreign not in dict(pairs).values()]
    if over:
        raise BadInput(f"{path}: {shown(over[0])} is not part of {network}: name the right network.")
    counters = {name: torch.zeros((), dtype=torch.int64) for name in state if name.endswith(COUNTER)}
    return {own: weights[foreign].float().clone() for own, foreign in pairs} | counters


def in_order(names: Iterable[str]) -> list[str]:
    """Return names as images pass their layers: numbered trunk, hidden linear layers, last layer.

    A file may have been sorted by name, so that its own order says nothing.
    """
    return sorted(names, key=_place)


def _pairs(weights: Mapping[str, Tensor], ours: list[str]) -> list[tuple[str, str]]:
    foreign = {_renamed(name): name for name in weights}
    # A residual network has branches, so that no order of its names is the order of its layers.
    if set(foreign) == set(ours) or any(name.startswith("layer1.") for name in foreign):
        return [(own, foreign[own]) for own in ours if own in foreign]
    return list(zip(ours, in_order(weights), strict=False))


def _renamed(name: str) -> str:
    for pattern, own in RENAMED:
        name = pattern.sub(own, name)
    return name


def _place(name: str) -> tuple[int, tuple[tuple[int, str], ...], int]:
    layer, _, part = name.rpartition(".")
    rank = 2 if layer in LAST else 1 if layer.startswith(LINEAR) else 0
    tokens = tuple((int(token), "") if token.isdigit() else (-1, token) for token in re.findall(r"\d+|\D+", layer))
    return rank, tokens, PARTS.index(part) if part in PARTS else len(PARTS)
