"""Accuracy over the number of images per class, up to that of all images; also for a large network."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from stillproof.suites.requests import Row
from stillproof.suites.row_builder import FULL, RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

SECTION = "compression"
BASELINES = ("random", "k-center")  # what every curve is seen against


def compression_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per network, method and number of images."""
    methods = tuple(dict.fromkeys((*BASELINES, *suite.methods)))
    yield from _curves(suite, builder, methods, suite.compression_ipc, builder.home)
    if suite.large_network:
        yield from _curves(suite, builder, suite.large_methods, suite.large_ipc, suite.large_network)


def _curves(
    suite: DCBench, builder: RowBuilder, methods: Iterable[str], sizes: Iterable[int], network: str
) -> Iterator[Row]:
    if suite.full_recipe:
        yield builder.accuracy(SECTION, FULL, None, suite.recipe_on_real(builder.dataset), network=network)
    for method, ipc in builder.asked(methods, sizes):
        row = builder.accuracy(SECTION, method, ipc, suite.recipe_with("dsa", builder.dataset), network=network)
        yield dataclasses.replace(row, may_be_too_large=True)  # there are data sets with smaller classes
