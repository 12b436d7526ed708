"""What an axis or a column of numbers measures: its name, its unit, and the ends beyond which nothing can lie."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """A quantity that is a fraction in code and a hundred times that where it is shown.

    Args:
        name: Its name.
        unit: What a hundredth is called.
        low: The least that it can be, a fraction.
        high: The most.
    """

    name: str
    unit: str
    low: float
    high: float

    @property
    def title(self) -> str:
        """Return the name with its unit."""
        return f"{self.name} ({self.unit})"


ACCURACY = Measure("test accuracy", "%", 0.0, 1.0)


def difference(name: str) -> Measure:
    """Return a difference of accuracies."""
    return Measure(name, "points", -1.0, 1.0)


def score(name: str) -> Measure:
    """Return a score, which has no unit."""
    return Measure(name, "0 to 100", 0.0, 1.0)
