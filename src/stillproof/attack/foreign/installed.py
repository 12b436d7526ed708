"""Which libraries are installed, and how parts of them are imported."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import sys
import types
import warnings
from typing import Any

# Names of distributions and of what is imported.
PACKAGES = {
    "adv-lib": "adv_lib",
    "foolbox": "foolbox",
    "torchattacks": "torchattacks",
    "art": "art",
}
DISTRIBUTIONS = {"art": "adversarial-robustness-toolbox"}


def version_of(library: str) -> str | None:
    """Return the version of a library; None if it is not installed."""
    try:
        return importlib.metadata.version(DISTRIBUTIONS.get(library, library))
    except importlib.metadata.PackageNotFoundError:
        return None


def module_of(library: str, below: str) -> Any:
    """Import a part of a library."""
    if library == "adv-lib":
        # It wants these at import, for a perceptual distance and for plots on a server: not for what is asked here.
        for absent in ("torchvision", "visdom"):
            if absent not in sys.modules and importlib.util.find_spec(absent) is None:
                sys.modules[absent] = types.ModuleType(absent)
                sys.modules[f"{absent}.models"] = types.ModuleType(f"{absent}.models")
                sys.modules[absent].models = sys.modules[f"{absent}.models"]  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is outdated in them
        return importlib.import_module(f"{PACKAGES[library]}{below}")
