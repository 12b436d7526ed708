"""Accuracy over the number of images per class, up to that of all images; also of a large network."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from stillproof.suites.ask import FULL, Ask
from stillproof.suites.requests import Row

if TYPE_CHECKING:
    from stillproof.suites.dc_bench import DCBench

SECTION = "compression"
BASELINES = ("random", "k-center")  # what every curve is seen against


def compression_rows(suite: DCBench, ask: Ask) -> Iterator[Row]:
    """Yield a row a network, method and number of images."""
    methods = tuple(dict.fromkeys((*BASELINES, *suite.methods)))
    yield from _curves(suite, ask, methods, suite.compression_ipc, ask.home)
    if suite.large_network:
        yield from _curves(suite, ask, suite.large_methods, suite.large_ipc, suite.large_network)


def _curves(suite: DCBench, ask: Ask, methods: Iterable[str], sizes: Iterable[int], network: str) -> Iterator[Row]:
    if suite.full_recipe:
        yield ask.accuracy(SECTION, FULL, None, suite.full_recipe, network=network)
    for ipc in sizes:
        for method in methods:
            row = ask.accuracy(SECTION, method, ipc, suite.recipe_with("dsa"), network=network)
            yield dataclasses.replace(row, may_be_too_large=True)  # there are data sets with smaller classes
