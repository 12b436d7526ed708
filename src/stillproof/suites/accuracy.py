"""Suite accuracy: how well does a network trained on each distilled set do?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import suites
from stillproof.core.presets import Preset, Scale
from stillproof.core.types import Selection
from stillproof.suites.dc_bench.protocol import ProtocolName, dc_bench_asks
from stillproof.suites.or_none import OrNone
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import FULL, RowBuilder


@suites.register("accuracy", version=1)
@dataclass(frozen=True)
class Accuracy:
    """Test accuracy of networks trained on distilled sets, with full data as the ceiling.

    Args:
        dataset: Data sets.
        methods: Distillers, with parameters where wanted, and existing sets: an artifact's name, id or folder, or a
            third-party file.
        ipc: Images per class of distilled sets; an existing set has its own number.
        seeds: Repetitions. Under ``fair`` each has its own distilled set; under ``faithful`` they share one.
        network: Networks to train; every method distils with the first.
        recipe: Recipe for training on distilled sets.
        full_recipe: Recipe for training on full data; ``none`` skips the ceiling.
        selection: Which epoch of a training counts: last, heldout or oracle.
        protocol: ``fair``, or ``faithful`` to DC-Bench; it settles what a seed varies.
        scale: Presets of the distillers: smoke, quick or paper.
    """

    dataset: tuple[str, ...] = ("digits",)
    methods: tuple[str, ...] = ("random", "k-center", "herding", "dm")
    ipc: tuple[int, ...] = (1, 10)
    seeds: int = 5
    network: tuple[str, ...] = ("home",)
    recipe: str = "dc-bench"
    full_recipe: OrNone = "dc-bench"
    selection: Selection = "last"
    protocol: ProtocolName = "fair"
    scale: Scale = "paper"

    presets: ClassVar[Sequence[Preset]] = (
        Preset("paper", {"scale": "paper"}),
        Preset("quick", {"scale": "quick", "recipe": "quick", "full_recipe": "quick-real", "seeds": 3}),
        Preset("smoke", {"scale": "smoke", "recipe": "smoke", "full_recipe": "smoke", "seeds": 2, "ipc": (1,)}),
    )

    def __post_init__(self) -> None:
        """Refuse empty questions."""
        if self.seeds < 1:
            raise ValueError("seeds must be at least 1")
        if not (self.dataset and self.network and self.ipc):
            raise ValueError("dataset, network and ipc need at least one value each")

    def rows(self) -> list[Row]:
        """Return one row per data set, network, ipc and method; full data comes first."""
        return [row for dataset in self.dataset for network in self.network for row in self._block(dataset, network)]

    def _block(self, dataset: str, network: str) -> Iterator[Row]:
        asks = dc_bench_asks(self.protocol)
        builder = RowBuilder.under(asks, dataset, self.network[0], self.seeds, self.selection, self.scale)
        if self.full_recipe:
            yield builder.accuracy("", FULL, None, self.full_recipe, network=network)
        for method, ipc in builder.asked(self.methods, self.ipc):
            yield builder.accuracy("", method, ipc, self.recipe, network=network)
