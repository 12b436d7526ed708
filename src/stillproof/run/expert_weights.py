"""Reads the weights of experts. A file of its own, because cells are named by the files behind them.

Beside the training of experts, the code of that training would name their readers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from torch import Tensor

from stillproof.run.stage import answer_of
from stillproof.store.store import Store

READ_AT_ONCE = 16  # trajectories kept in memory


class Experts(Sequence[Tensor]):
    """The trajectories that a distiller learns from, read from the store when they are asked for."""

    def __init__(self, cells: Sequence[str], store: Store) -> None:
        """Name the expert cells."""
        self.cells = cells
        self._read = lru_cache(maxsize=READ_AT_ONCE)(lambda cell: _weights(cell, store))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.cells)

    def __getitem__(self, number: int) -> Tensor:  # type: ignore[override]
        """Return one trajectory, (epochs + 1, P), on the CPU."""
        return self._read(self.cells[number])


def _weights(cell: str, store: Store) -> Tensor:
    return store.artifacts.read(answer_of(cell, store)["artifact"]).tensors["weights"]
