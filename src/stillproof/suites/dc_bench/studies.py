"""The smaller studies: K-Center's embedding, the optimiser, the cost, and how much of the real images is covered."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stillproof.core.reference import changed_reference
from stillproof.suites.fixed_set import fixed_set
from stillproof.suites.requests import Request, Row, real_images, trained
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

EMBEDDINGS = ("k-center", "k-center:embedding=pixels")
ADAM = {"optimiser": "adam", "lr": 0.003, "weight_decay": 0.0, "decay": 1.0}  # constant, as the original has it


def k_center_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per number of images and embedding that K-Center chooses by."""
    for ipc in suite.ipc:
        for method in EMBEDDINGS:
            yield builder.accuracy("k-center", method, ipc, suite.recipe_with("dsa", builder.dataset))


def optimiser_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per method and optimiser."""
    recipe = suite.recipe_with("dsa", builder.dataset)
    for method, ipc in builder.asked(suite.methods, suite.ipc):
        for optimiser, chosen in (("sgd", recipe), ("adam", changed_reference(recipe, **ADAM))):
            yield builder.accuracy("optimiser", method, ipc, chosen, optimiser=optimiser)


def cost_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per method and number of images; each is timed once, alone."""
    for method, ipc in builder.asked(suite.methods, suite.ipc):
        there = fixed_set(method)
        if there:
            why = f"{there.name} was there before this run, so that making it could not be timed."
            yield dataclasses.replace(builder.row("cost", method, ipc, []), reason=why)
            continue
        request = Request("cost", of=builder.distilled(method, ipc, 0), steps=suite.cost_steps)
        yield builder.row("cost", method, ipc, [request])


def distribution_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per method, by the features of a network trained on real images, and the map of one class."""
    recipe, most = suite.recipe_on_real(builder.dataset) or suite.recipe, max(suite.ipc)
    model = trained(real_images(builder.dataset), builder.home, recipe, 0)
    asked = list(builder.asked(suite.methods, [most]))
    for method, ipc in asked:
        seeds = 1 if fixed_set(method) else builder.seeds  # of one set and one network there is one coverage
        requests = [Request("coverage", of=builder.distilled(method, ipc, seed), model=model) for seed in range(seeds)]
        yield builder.row("distribution", method, ipc, requests, recipe=recipe)
    sets = tuple(builder.distilled(method, ipc, 0) for method, ipc in asked)
    about = {"recipe": recipe, "label": suite.mapped_class, "methods": [_mapped(*one, most) for one in asked]}
    yield builder.row("map", "all", most, [Request("map", sets=sets, model=model, label=suite.mapped_class)], **about)


def _mapped(method: str, ipc: int, most: int) -> str:
    """Return what a set is called on the map, whose title tells how many images the others have."""
    there = fixed_set(method)
    if there is None:
        return method
    return there.name if ipc == most else f"{there.name} ({ipc} per class)"
