"""Architecture search: a sample of architectures trained on distilled sets, and what those are truly worth."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from stillproof.core.reference import changed_reference
from stillproof.core.seeds import Seeds
from stillproof.nets.search_spaces import convnet_networks, nas201_networks, sample
from stillproof.suites.requests import Heldout, Part, Request, Row
from stillproof.suites.row_builder import FULL, RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

SpaceName = Literal["nas201", "convnet"]
SPACES = {"nas201": nas201_networks, "convnet": convnet_networks}
TRUTH_SEED = 1000  # the truth has other first weights than the search; the same ones alone would make both agree
PUBLISHED = ("nas201", "cifar10")  # the space and the data set whose accuracies are published


def search_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per space, architecture and method, and the truth of each space."""
    for space in suite.search_spaces:
        found = sample(SPACES[space](), suite.architectures, Seeds(0).child("search", space))
        rows = list(_truth(suite, builder, space, found))
        searched = [(FULL, None)] if suite.search_full_recipe else []
        for method, ipc in [*searched, *builder.asked(suite.methods, [suite.search_ipc])]:
            rows += [_searched(suite, builder, space, architecture, method, ipc) for architecture in found]
        # What is published may not be there, and a search without a truth tells nothing.
        published = rows[0].requests[0] if (space, builder.dataset) == PUBLISHED else None
        yield from (dataclasses.replace(row, only_with=published) for row in rows)


def _searched(suite: DCBench, builder: RowBuilder, space: str, architecture: str, method: str, ipc: int | None) -> Row:
    """Return the row of an architecture that is trained on a set and looked at on held-out training images.

    Under ``faithful`` it is the mixture of operations that the original's script trains, without weights in its norms,
    sees its images in the same order in every pass, and is looked at on images that the set may have been made from.
    """
    faithful = suite.protocol == "faithful"
    recipe = suite.search_full_recipe if ipc is None else suite.search_recipe
    network = f"{architecture}:affine=false:mixture=true" if faithful and space == "nas201" else architecture
    heldout: Heldout = "search-heldout" if faithful else "heldout"
    part: Part = "fit" if not faithful else "search-fit" if ipc is None else "train"
    if faithful and ipc is not None:
        recipe = changed_reference(recipe, shuffle="false")
    requests = [
        builder.trained(builder.images(method, ipc, seed, part), network, recipe, seed, heldout)
        for seed in range(suite.search_seeds)
    ]
    about = {"recipe": recipe, "space": space, "architecture": architecture, "selection": "last"}
    return builder.row("search", method, ipc, requests, network=network, **about)


def _truth(suite: DCBench, builder: RowBuilder, space: str, found: list[str]) -> Iterator[Row]:
    if (space, builder.dataset) == PUBLISHED:
        request = Request("truth", networks=found, source=suite.truth_source)
        yield builder.row("search-truth", FULL, None, [request], network="", recipe="", space=space, truth="published")
        return
    method, ipc = ("random", suite.truth_ipc) if suite.truth_ipc else (FULL, None)
    for architecture in found:
        requests = [
            builder.trained(builder.images(method, ipc, seed), architecture, suite.truth_recipe, TRUTH_SEED + seed)
            for seed in range(suite.truth_seeds)
        ]
        about = {"recipe": suite.truth_recipe, "space": space, "truth": "trained", "architecture": architecture}
        yield builder.row("search-truth", method, ipc, requests, network=architecture, **about)
