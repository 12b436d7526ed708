"""Finds the accuracies that authors write into their result files and into the names of their files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import mean, stdev
from typing import Any

from stillproof.importers.beard_names import NETWORKS
from stillproof.sets.reported import Reported

# These append the accuracies of every set, set by set; others also do so on the way to it.
SET_BY_SET = frozenset({"DC", "DSA", "DM"})
IN_NAME = re.compile(r"(?:^|_)(?P<accuracy>0\.\d{2,})$")  # acc_0.67, BACON_ConvNet_CIFAR10_50_None_0.6995


def accuracies_by_network(found: Any) -> dict[str, list[float]]:
    """Return the accuracies of all trainings that a result file has as ``accs_all_exps``, by network, if it has any."""
    return {
        str(network): [float(value) for value in values]
        for network, values in (found.items() if isinstance(found, dict) else ())
        if isinstance(values, list) and values and all(isinstance(value, float) and 0 <= value <= 1 for value in values)
    }


def reported_of_set(accuracies: Mapping[str, Sequence[float]], method: str, number: int, sets: int) -> list[Reported]:
    """Return what is reported of one set of a file, by network; of all its sets where they cannot be told apart.

    Args:
        accuracies: The accuracies of all trainings by network.
        method: Whose file it is.
        number: The number of the set in the file, from 0.
        sets: How many sets the file has.
    """
    found = []
    for network, values in accuracies.items():
        each, rest = divmod(len(values), sets)
        alone = method in SET_BY_SET and not rest
        mine = values[number * each : (number + 1) * each] if alone else values
        std = stdev(mine) if len(mine) > 1 else None
        found.append(Reported(mean(mine), std, len(mine), network, 1 if alone else sets, "the file"))
    return found


def reported_in_name(stem: str) -> tuple[Reported, ...]:
    """Return the accuracy that the name of a file ends in, without its suffix; nothing if it has none."""
    found = IN_NAME.search(stem)
    if found is None:
        return ()
    network = next((word for word in stem.split("_") if word in NETWORKS), "")
    return (Reported(float(found["accuracy"]), None, None, network, 1, "the file's name"),)
