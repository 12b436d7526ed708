"""The published value that may stand beside a row: of sets that were made with the same network."""

from __future__ import annotations

from stillproof.report.answers import Answered
from stillproof.report.published import Published, published

HOME = "convnet-3"  # what the published sets were made with
UNMADE = ("full", "random")  # have no such network


def published_beside(row: Answered, augmentation: str = "dsa") -> Published | None:
    """Return what was published for the question of a row, if anything."""
    if row["method"] not in UNMADE and row["home"] != HOME:
        return None
    return published(row["dataset"], row["method"], row["ipc"], augmentation=augmentation, network=row["network"])
