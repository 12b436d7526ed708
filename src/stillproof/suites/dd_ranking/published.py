"""What DD-Ranking published of scores, as printed in percent and points, and which of it stands beside ours."""

from __future__ import annotations

from collections.abc import Mapping

from stillproof.core.reference import changed_reference, parse_reference
from stillproof.report.answers import Answered
from stillproof.report.published import Published
from stillproof.suites.dd_ranking.protocol import dd_ranking_asks, real_params

PAPER = "DD-Ranking, arXiv:2505.13300"
SIZES = (1, 10, 50)  # images per class
IOR_SIZE = 10  # that at which IOR with and without augmentation is published

# HLR, IOR and LRS on CIFAR-10 at those sizes.
TABLE_3 = {
    "dc": ((52.7, 12.4, 19.1), (36.7, 18.5, 23.2), (26.3, 12.3, 24.0)),
    "dsa": ((58.9, 13.2, 18.2), (35.1, 19.6, 23.7), (27.4, 11.0, 23.5)),
    "mtt": ((42.2, 27.6, 23.9), (23.7, 30.9, 28.4), (16.5, 20.5, 27.8)),
    "dm": ((61.4, 8.7, 17.0), (39.4, 16.1, 22.2), (25.1, 12.7, 24.3)),
    "datadam": ((49.9, 15.6, 20.0), (34.8, 19.9, 23.8), (21.9, 15.8, 25.6)),
    "sre2l": ((69.9, -0.3, 14.3), (67.8, -5.7, 13.8), (62.9, -6.5, 14.4)),
    "rded": ((60.6, 2.4, 16.2), (50.7, 1.1, 17.6), (36.0, -1.6, 19.6)),
}
# What it was measured with there; ConvNet-3 otherwise.
NETWORKS = {"sre2l": "resnet-18-bn", "rded": "convnet-3-bn"}
CONVNET = "convnet-3"
# Recipes that are the published ones, and the epochs that such a reference names, where it must.
RECIPES = {"dc-bench-dsa": "1000", "rded": None, "sre2l": None}

# On ImageNet-1K: ARS at those sizes, and at one of them also IOR without and with augmentation.
TABLE_7_NETWORK = "resnet-18-bn-imagenet"
TABLE_7_ARS = {"sre2l": (26.3, 22.9, 20.2), "rded": (27.4, 28.1, 26.7)}
TABLE_7_IOR = {"sre2l": (-4.4, -15.6), "rded": (5.6, -0.6)}

# Printed scores that the paper's own formula does not give, and what it gives.
MISPRINTED_LRS = {("datadam", 1): 20.2}
MISPRINTED_ARS = {("rded", 10): 28.0, ("rded", 50): 26.6}


def published_labels(row: Answered, random: Answered | None) -> dict[str, Published]:
    """Return the published HLR, IOR and LRS that may stand beside ours, by name; mostly there are none."""
    method, ipc = row["method"], row["ipc"]
    asked_there = row["dataset"] == "cifar10" and row["network"] == NETWORKS.get(method, CONVNET)
    if not (asked_there and method in TABLE_3 and ipc in SIZES and _is_published_way(row, random)):
        return {}
    hlr, ior, lrs = TABLE_3[method][SIZES.index(ipc)]
    score = _score("LRS", method, ipc, lrs, "Table 3", MISPRINTED_LRS)
    return {"hlr": _printed(hlr, "Table 3"), "ior": _printed(ior, "Table 3"), "lrs": score}


def published_augmentation(row: Answered, random: Answered | None) -> dict[str, Published]:
    """Return the published IOR with and without augmentation and ARS that may stand beside ours, by name."""
    method, ipc = row["method"], row["ipc"]
    asked_there = row["dataset"] == "imagenet" and row["network"] == TABLE_7_NETWORK
    if not (asked_there and method in TABLE_7_ARS and ipc in SIZES and _is_published_way(row, random)):
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
    real, real_given = parse_reference(row["real_recipe"] or "")
    # Augmentation and tests follow from the method; a recipe that somebody gave is not the published one.
    settled = {key: value for key, value in real_given.items() if key not in ("augment", "curve_points")}
    expected = changed_reference("real", **real_params(row["dataset"], row["network"]))
    theirs = (real, settled) == parse_reference(expected)
    asked_so = row["scale"] == "paper" and dd_ranking_asks(row["protocol"]).is_published
    return recipe and searched and theirs and asked_so


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
