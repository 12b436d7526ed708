"""Scores that are made of several shares of images: how far they would go on other test images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

from stillproof.score.metric import Metric
from stillproof.score.over_images import Ends, square_and_add


class MadeOfShares(Protocol):
    """Evidence that knows which of its numbers are shares of test images."""

    @property
    def images(self) -> int | None:
        """Return how many images each is a share of."""

    def shares(self) -> Mapping[Any, float]:
        """Return the shares; those that are the same by definition have one key."""

    def with_shares(self, shares: Mapping[Any, float]) -> Self:
        """Return the same evidence with other shares under these keys."""


Shared = TypeVar("Shared", bound=MadeOfShares)


class ScoreOfShares(Metric[Shared]):
    """A metric that compares shares: Student's interval over seeds, or one over the test images where that is wider.

    The latter moves each share within its own interval by Wilson, and squares and adds what comes of it. It is meant
    for scores that stay where all shares move alike. What is no share, such as a time, stays as it is.
    """

    def over_images(self, evidence: Shared) -> Ends | None:
        """Return the interval of one seed over other test images."""
        images, known = evidence.images, evidence.shares()
        if images is None or not known:
            return None

        def moved(shares: Sequence[float]) -> float:
            return self.moved(evidence.with_shares(dict(zip(known, shares, strict=True))))

        return square_and_add(moved, list(known.values()), [images] * len(known))

    def moved(self, evidence: Shared) -> float:
        """Return the number of one seed, some share of which stands at an end of its interval."""
        return self.value(evidence)
