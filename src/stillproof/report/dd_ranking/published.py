"""What DD-Ranking published of a method's scores, if anything."""

from __future__ import annotations

from collections.abc import Mapping

from stillproof.core.reference import parse_reference
from stillproof.report.answers import Answered
from stillproof.report.dd_ranking.augmented import Augmented
from stillproof.report.dd_ranking.published_values import (
    CONVNET,
    MISPRINTED_ARS,
    MISPRINTED_LRS,
    NETWORKS,
    PAPER,
    RECIPES,
    SIZES,
    TABLE_3,
    TABLE_7_ARS,
    TABLE_7_IOR,
    TABLE_7_NETWORK,
)
from stillproof.report.dd_ranking.sides import Sides
from stillproof.report.published import Published

IOR_SIZE = 10  # images per class, at which IOR with and without augmentation is published


def published_labels(sides: Sides) -> dict[str, Published]:
    """Return the published HLR, IOR and LRS that may stand beside ours, by name; mostly there are none."""
    row = sides.row
    method, ipc = row["method"], row["ipc"]
    asked_there = row["dataset"] == "cifar10" and row["network"] == NETWORKS.get(method, CONVNET)
    if not (asked_there and method in TABLE_3 and ipc in SIZES and _is_published_way(row, sides.random)):
        return {}
    hlr, ior, lrs = TABLE_3[method][SIZES.index(ipc)]
    score = _score("LRS", method, ipc, lrs, "Table 3", MISPRINTED_LRS)
    return {"hlr": _printed(hlr, "Table 3"), "ior": _printed(ior, "Table 3"), "lrs": score}


def published_augmentation(one: Augmented) -> dict[str, Published]:
    """Return the published IOR with and without augmentation and ARS that may stand beside ours, by name."""
    row = one.row
    method, ipc = row["method"], row["ipc"]
    asked_there = row["dataset"] == "imagenet" and row["network"] == TABLE_7_NETWORK
    if not (asked_there and method in TABLE_7_ARS and ipc in SIZES and _is_published_way(row, one.random_with)):
        return {}
    found = {"ars": _score("ARS", method, ipc, TABLE_7_ARS[method][SIZES.index(ipc)], "Table 7", MISPRINTED_ARS)}
    if ipc == IOR_SIZE:
        without, augmented = TABLE_7_IOR[method]
        found |= {"without": _printed(without, "Table 7"), "with": _printed(augmented, "Table 7")}
    return found


def _is_published_way(row: Answered, random: Answered | None) -> bool:
    """Say whether sizes, protocol and recipe are the published ones, and learning rates of random images searched for.

    A method with parameters of its own is another one, and is not found by its name.
    """
    name, given = parse_reference(row["recipe"] or "")
    recipe = name in RECIPES and given.get("epochs") == RECIPES[name]
    searched = random is not None and random["rate"] == "searched"
    return recipe and searched and (row["scale"], row["protocol"]) == ("paper", "faithful")


def _score(
    name: str, method: str, ipc: int, printed: float, place: str, misprinted: Mapping[tuple[str, int], float]
) -> Published:
    """Return a published score; where it was printed wrongly, what its formula gives, and a note that says so."""
    right = misprinted.get((method, ipc))
    if right is None:
        return _printed(printed, place)
    note = f"{name} of {method} at {ipc} per class is printed as {printed}, but its own formula gives {right}"
    return _printed(right, place, f"{note}, which stands here")


def _printed(percent: float, place: str, note: str = "") -> Published:
    return Published(round(percent / 100, 6), place, PAPER, note, decimals=1)
