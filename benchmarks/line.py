"""One line of the benchmark table: what was measured, beside its target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Line:
    """A measurement; without a ``bound`` it only informs."""

    what: str
    value: float
    unit: str
    how: str
    bound: Literal["at least", "under"] | None = None
    target: float = 0.0

    @property
    def met(self) -> bool | None:
        """Say whether the target is met; nothing where there is none."""
        if self.bound is None:
            return None
        return self.value >= self.target if self.bound == "at least" else self.value < self.target

    def as_dict(self) -> dict[str, object]:
        """Return the line as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__} | {"met": self.met}

    def __str__(self) -> str:
        """Return the line as a row of plain text."""
        verdict = {None: "", True: " (met)", False: " (MISSED)"}[self.met]
        target = f"{self.bound} {self.target:g} {self.unit}".rstrip() if self.bound else ""
        return _row(self.what, f"{self.value:.3g} {self.unit}".rstrip(), target + verdict, self.how)


def _row(*cells: str) -> str:
    return " | ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()


WIDTHS = (60, 10, 24, 0)  # rows are printed as they are measured: widths cannot wait for the longest
HEAD = _row("what", "measured", "target", "how") + "\n" + "-+-".join("-" * (width or 3) for width in WIDTHS)
