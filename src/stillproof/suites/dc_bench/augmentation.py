"""Accuracy under augmentations, and the trainings that the best of them is chosen by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stillproof.report.dc_bench.augmentation_scores import OWN_RECIPE
from stillproof.suites.augmentation_variants import distinct_on
from stillproof.suites.fixed_set import fixed_set
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

PER_BATCH = "-per-batch"  # augmentations as the original drew them: once for all images of a batch, on whole numbers
ALIKE = ("none", "dsa")  # are drawn alike under both protocols


def augmentation_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per augmentation; under ``fair`` also those that choose the best one without the test images.

    A set that was there before is also trained on as its author does, if that is known.
    """
    for method, ipc in builder.asked(suite.methods, suite.ipc):
        for name in distinct_on(suite.augmentations, builder.dataset):
            named = name if suite.protocol == "fair" or name in ALIKE else name + PER_BATCH
            recipe = suite.recipe_with(named, builder.dataset)
            yield builder.accuracy("augmentation", method, ipc, recipe, augmentation=named)
            if suite.protocol == "fair" and suite.choice_seeds:
                yield _choice(suite, builder, method, ipc, named)
        there = fixed_set(method)
        if there and there.recipe:
            yield builder.accuracy("augmentation", method, ipc, there.recipe, augmentation=OWN_RECIPE)


def _choice(suite: DCBench, builder: RowBuilder, method: str, ipc: int, augmentation: str) -> Row:
    """Return a row of sets that have not seen the held-out images, and of networks that are looked at on those."""
    recipe = suite.recipe_with(augmentation, builder.dataset)
    requests = [
        builder.trained(builder.distilled(method, ipc, seed, "fit"), builder.home, recipe, seed, "heldout")
        for seed in range(suite.choice_seeds)
    ]
    about = {"recipe": recipe, "augmentation": augmentation, "selection": "last"}
    return builder.row("augmentation-choice", method, ipc, requests, **about)
