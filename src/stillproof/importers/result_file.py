"""Result files of DC, DSA, DM, DataDAM and BACON: all experiments of one setting in a dictionary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import OWN, ForeignSet, check_count, is_file
from stillproof.importers.known_methods import KNOWN, decode_of, recipe_of
from stillproof.importers.read_labels import read_labels
from stillproof.importers.reported_accuracies import accuracies_by_network, reported_of_set
from stillproof.importers.torch_file import load_torch
from stillproof.sets.reported import Reported

NAME = re.compile(r"res_(?P<method>[^_]+)_(?P<dataset>[^_]+)_.*\.pt$", re.IGNORECASE)


class ResultFile:
    """One entry ``[images, labels]`` per experiment."""

    name = "results"

    def recognises(self, path: Path) -> str:
        """Look for the list of experiments."""
        if not is_file(path, ".pt", ".pth"):
            return ""
        content = load_torch(path)
        return "a dictionary with a list `data` of experiments" if _experiments(content) is not None else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read every experiment; images are normalised with the constants of the data set, and unclamped."""
        content = load_torch(path)
        experiments = _experiments(content)
        if experiments is None:
            raise BadInput(f"{path} is not a result file: a dictionary with a list `data` of experiments is needed.")
        check_count(path, len(experiments))
        accuracies, method = accuracies_by_network(content.get("accs_all_exps")), _method(path)
        about = (*_about(path, info), *_about_accuracies(accuracies))
        return [
            _experiment(path, entry, number, about, reported_of_set(accuracies, method, number, len(experiments)))
            for number, entry in enumerate(experiments)
        ]


def _experiments(content: Any) -> list[Any] | None:
    found = content.get("data") if isinstance(content, dict) else None
    return found if isinstance(found, list) and found else None


def _experiment(
    path: Path, entry: Any, number: int, about: tuple[str, ...], reported: Sequence[Reported]
) -> ForeignSet:
    pair = entry[:2] if isinstance(entry, list) else []
    if len(pair) != 2 or not all(isinstance(part, Tensor) for part in pair):
        raise BadInput(f"{path}: experiment {number} is not a pair of images and labels.")
    images, values = pair
    labels, about_labels = read_labels(values, path.name)
    method = _method(path)
    return ForeignSet(
        images,
        labels,
        "normalised",
        decode=decode_of(method),
        method=method,
        recipe=recipe_of(method),
        found=(*about, about_labels),
        reported=tuple(reported),
    )


def _method(path: Path) -> str:
    named = NAME.match(path.name)
    return KNOWN.get(named["method"].lower(), named["method"]) if named else OWN


def _about(path: Path, info: DataInfo) -> list[str]:
    named, method = NAME.match(path.name), _method(path)
    about = [f"method {method}, from the file's name" if named else "the file's name does not say the method"]
    if named and _letters(named["dataset"]) != _letters(info.name):
        about.append(f"the file's name speaks of {named['dataset']}, not of {info.name}: is that the right data set?")
    about.append("images are normalised with the data set's mean and std, as these methods store them")
    if decode_of(method) != "none":
        about.append(f"{method} keeps four images in one: each is decoded as a 2 x 2 grid")
    return about


def _about_accuracies(accuracies: Mapping[str, Sequence[float]]) -> list[str]:
    """Say what accuracies the file itself reports, of all its sets."""
    found = [f"{name} {100 * sum(one) / len(one):.2f} % (n = {len(one)})" for name, one in accuracies.items()]
    return [f"the file reports test accuracies of {', '.join(found)}"] if found else []


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
