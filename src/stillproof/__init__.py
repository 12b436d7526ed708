"""Stillproof: proof for distilled datasets."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from stillproof.core.components import augmentations, datasets, distillers, networks, objectives, recipes
from stillproof.core.context import Context
from stillproof.core.presets import Preset
from stillproof.core.types import DataInfo, Distilled, Hard, ImageSet, Space, Stored

if TYPE_CHECKING:
    from stillproof.answers import Score
    from stillproof.api import evaluate
    from stillproof.session import Session

__version__ = "0.1.0"
__all__ = [
    "Context",
    "DataInfo",
    "Distilled",
    "Hard",
    "ImageSet",
    "Preset",
    "Score",
    "Session",
    "Space",
    "Stored",
    "augmentations",
    "datasets",
    "distillers",
    "evaluate",
    "networks",
    "objectives",
    "recipes",
]

_NEED_TORCH = {"evaluate": "stillproof.api", "Score": "stillproof.answers", "Session": "stillproof.session"}


def __getattr__(name: str) -> Any:
    """Load the parts that need torch when they are first used."""
    if name in _NEED_TORCH:
        return getattr(importlib.import_module(_NEED_TORCH[name]), name)
    raise AttributeError(f"module 'stillproof' has no attribute {name!r}")
