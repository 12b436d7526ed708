"""Measures two ways to do the same thing and the machine's matrix multiplication, in turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

import torch

GEMM_SIZE = 2048
GEMM_WORK = 2 * GEMM_SIZE**3  # floating-point operations


def gemm() -> Callable[[], None]:
    """Return one multiplication of two square matrices."""
    left, right = torch.randn(GEMM_SIZE, GEMM_SIZE), torch.randn(GEMM_SIZE, GEMM_SIZE)
    product = torch.empty(GEMM_SIZE, GEMM_SIZE)

    def multiply() -> None:
        torch.mm(left, right, out=product)

    return multiply


def seconds(action: Callable[[], None]) -> float:
    """Return how long ``action`` takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


@dataclass
class Turns:
    """Called before our first turn and after each one, as ``Context.report`` is by loops; then the others take theirs.

    Taking turns makes other load on the machine fall on all of them alike.

    Args:
        their_turn: The reference.
        skip: Turns at the start that are not counted: the first one compiles.
    """

    their_turn: Callable[[], None]
    skip: int = 1
    skipped: list[float] = field(default_factory=list)  # seconds of our turns that do not count
    ours: list[float] = field(default_factory=list)  # seconds per turn
    theirs: list[float] = field(default_factory=list)
    products: list[float] = field(default_factory=list)  # seconds per matrix multiplication
    multiply: Callable[[], None] = field(default_factory=gemm)
    _started: float | None = None

    def __call__(self, share: float = 0.0) -> None:
        """Stop the clock, give the others a turn, start it again."""
        if self._started is not None:
            turns = time.perf_counter() - self._started, seconds(self.their_turn), seconds(self.multiply)
            if len(self.skipped) < self.skip:
                self.skipped.append(turns[0])
            else:
                for kept, turn in zip((self.ours, self.theirs, self.products), turns, strict=True):
                    kept.append(turn)
        self._started = time.perf_counter()

    def alternate(self, our_turn: Callable[[], None], count: int) -> None:
        """Take ``count`` turns that count, where there is no loop that reports."""
        self()
        for _ in range(self.skip + count):
            our_turn()
            self()

    def speed_up(self) -> float:
        """Return how many times the reference's speed ours is."""
        return median(theirs / ours for theirs, ours in zip(self.theirs, self.ours, strict=True))

    def gemm_share(self, work: float, of: list[float]) -> float:
        """Return the rate of turns that took ``of`` seconds for ``work``, as a share of the multiplication's."""
        return median((work / turn) / (GEMM_WORK / g) for turn, g in zip(of, self.products, strict=True))

    def machine(self) -> str:
        """Say how fast the multiplication was."""
        return f"GEMM {GEMM_SIZE}^3 at {GEMM_WORK / median(self.products) / 1e9:.0f} GFLOP/s"
