"""Test accuracies that a file's author reports, as the card of a set keeps them: claims, not results of ours."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stillproof.core.spec import Json

REPORTED = "reported"  # among what a card says of where a set came from


@dataclass(frozen=True)
class Reported:
    """One accuracy that an author reports; a fraction.

    Args:
        accuracy: The mean over trainings.
        std: Its sample standard deviation; None if it is not known.
        n: Number of trainings; None if it is not known.
        network: What was trained, as the author calls it; empty if it is not known.
        sets: How many sets of the file the trainings are of.
        place: Where it is said.
    """

    accuracy: float
    std: float | None
    n: int | None
    network: str
    sets: int
    place: str

    def __str__(self) -> str:
        """Return it as people read it."""
        runs = "" if self.n is None else f" (n = {self.n})"
        return f"{self.network} {100 * self.accuracy:.2f} %{runs}".strip()

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return dataclasses.asdict(self)


def reported_on(origin: Mapping[str, Any]) -> list[Reported]:
    """Return what the author reports, from what a card says of where the set came from."""
    return [Reported(**entry) for entry in origin.get(REPORTED, ())]
