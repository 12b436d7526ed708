"""Accuracy on networks other than the one that a method distilled with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench


def transfer_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per network and method."""
    recipe = suite.recipe_with("dsa", builder.dataset)
    for method, ipc in builder.asked(suite.methods, suite.ipc):
        for network in suite.network:
            yield builder.accuracy("transfer", method, ipc, recipe, network=network)
