"""Values that others published, to stand beside our own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Published:
    """A published mean (a fraction), its paper and its place there, and what to know about it.

    ``decimals`` is how many of them the paper prints, in percent.
    """

    mean: float
    place: str
    paper: str
    note: str = ""
    decimals: int = 2

    @property
    def printed(self) -> str:
        """Return the mean in percent, as exactly as the paper prints it."""
        return f"{100 * self.mean:.{self.decimals}f}"


@dataclass(frozen=True, slots=True)
class PublishedSearch:
    """Published outcome of an architecture search: Spearman correlation and true accuracy of the chosen one."""

    spearman: float
    top1: float
    place: str
    paper: str
