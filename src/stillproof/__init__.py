"""Stillproof: proof for distilled datasets."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from stillproof.core.components import (
    attacks,
    augmentations,
    datasets,
    defences,
    distillers,
    networks,
    objectives,
    recipes,
)
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, StillproofError
from stillproof.core.presets import Preset
from stillproof.core.source import passed_on
from stillproof.core.types import DataInfo, Distilled, Hard, ImageSet, Space, Stored

if TYPE_CHECKING:
    from stillproof.answers import DistilledSet, RunStates, Score
    from stillproof.api import evaluate, load
    from stillproof.attack_answers import AttackScore
    from stillproof.attacked_sets import AttackedSets
    from stillproof.importers.import_model import ImportedModel
    from stillproof.importers.import_options import ImportOptions
    from stillproof.importers.import_sets import ImportedSet, ImportedSets
    from stillproof.loaded_set import LoadedSet
    from stillproof.own_model import attack
    from stillproof.report.compare.comparison import Comparison
    from stillproof.report.compare.table import Comparisons
    from stillproof.report.pictures import Gallery
    from stillproof.report.store_status import StoreStatus
    from stillproof.report.tables.table import Table
    from stillproof.report.verification import Verification
    from stillproof.run.forecast import Forecast
    from stillproof.score.stats import Summary
    from stillproof.session import Session
    from stillproof.store.bundle import Bundle
    from stillproof.stored_predictions import StoredPredictions
    from stillproof.suites.report_card.cards import ReportCards
    from stillproof.suites.requests import Request
    from stillproof.training_batches import TrainingBatches

__version__ = "0.1.0"
__all__ = [
    "AttackScore",
    "AttackedSets",
    "BadInput",
    "Bundle",
    "Comparison",
    "Comparisons",
    "Context",
    "DataInfo",
    "Distilled",
    "DistilledSet",
    "Forecast",
    "Gallery",
    "Hard",
    "ImageSet",
    "ImportOptions",
    "ImportedModel",
    "ImportedSet",
    "ImportedSets",
    "LoadedSet",
    "Preset",
    "ReportCards",
    "Request",
    "RunStates",
    "Score",
    "Session",
    "Space",
    "StillproofError",
    "StoreStatus",
    "Stored",
    "StoredPredictions",
    "Summary",
    "Table",
    "TrainingBatches",
    "Verification",
    "attack",
    "attacks",
    "augmentations",
    "datasets",
    "defences",
    "distillers",
    "evaluate",
    "load",
    "networks",
    "objectives",
    "recipes",
]


def __getattr__(name: str) -> Any:
    """Load a part when it is first used: some need torch, or are slow to load."""
    if name in __all__:
        return getattr(importlib.import_module(passed_on(__name__)[name].module), name)
    raise AttributeError(f"module 'stillproof' has no attribute {name!r}")
