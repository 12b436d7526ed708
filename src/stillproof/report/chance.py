"""What guessing gets."""

from __future__ import annotations

from stillproof.core.components import datasets
from stillproof.core.types import DataInfo


def chance_of(dataset: str) -> float | None:
    """Return the accuracy of guessing; nothing where somebody's pictures would have to be read to count the classes."""
    name = dataset.partition(":")[0]
    info = getattr(datasets.get(name), "info", None) if name in datasets.entries() else None
    return 1 / info.num_classes if isinstance(info, DataInfo) else None
