"""The smaller studies: K-Center's embedding, the optimiser, the cost, and how much of the real images is covered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stillproof.core.reference import changed_reference
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
    for ipc in suite.ipc:
        for method in suite.methods:
            for optimiser, chosen in (("sgd", recipe), ("adam", changed_reference(recipe, **ADAM))):
                yield builder.accuracy("optimiser", method, ipc, chosen, optimiser=optimiser)


def cost_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per method and number of images; each is timed once, alone."""
    for ipc in suite.ipc:
        for method in suite.methods:
            request = Request("cost", of=builder.distilled(method, ipc, 0), steps=suite.cost_steps)
            yield builder.row("cost", method, ipc, [request])


def distribution_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per method, by the features of a network trained on real images, and the map of one class."""
    recipe, ipc = suite.recipe_on_real(builder.dataset) or suite.recipe, max(suite.ipc)
    model = trained(real_images(builder.dataset), builder.home, recipe, 0)
    for method in suite.methods:
        requests = [
            Request("coverage", of=builder.distilled(method, ipc, seed), model=model) for seed in range(builder.seeds)
        ]
        yield builder.row("distribution", method, ipc, requests, recipe=recipe)
    sets = tuple(builder.distilled(method, ipc, 0) for method in suite.methods)
    about = {"recipe": recipe, "label": suite.mapped_class, "methods": list(suite.methods)}
    yield builder.row("map", "all", ipc, [Request("map", sets=sets, model=model, label=suite.mapped_class)], **about)
