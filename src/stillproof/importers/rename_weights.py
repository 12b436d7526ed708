"""Gives a checkpoint's tensors the names that our networks have, one to one and checked by shape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.importers.checkpoint_weights import COUNTER
from stillproof.nets.body import Body

# torchvision's names in residual networks, and the last layer's in all of them.
RENAMED = ((re.compile(r"\.downsample\."), ".shortcut."), (re.compile(r"^(?:fc|linear)\."), "classifier."))
LAST = frozenset({"classifier", "fc", "linear", "head"})
LINEAR = ("fc", "linear", "hidden", "classifier")
PARTS = ("weight", "bias", "running_mean", "running_var")


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
                f"{path}: {foreign} {found} does not fit {own} {expected} of {network}: name the right network and "
                "data set."
            )
    lacking = [own for own in ours if own not in dict(pairs)]
    if lacking:
        raise BadInput(f"{path} lacks {lacking[0]} of {network}: name the right network.")
    over = [foreign for foreign in in_order(weights) if foreign not in dict(pairs).values()]
    if over:
        raise BadInput(f"{path}: {over[0]} is not part of {network}: name the right network.")
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
