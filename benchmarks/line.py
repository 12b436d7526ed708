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

    def cells(self) -> tuple[str, str, str, str]:
        """Return the line as text."""
        verdict = {None: "", True: " (met)", False: " (MISSED)"}[self.met]
        target = f"{self.bound} {self.target:g} {self.unit}".rstrip() if self.bound else ""
        return self.what, f"{self.value:.3g} {self.unit}".rstrip(), target + verdict, self.how


def table(lines: list[Line]) -> str:
    """Return the lines as a table of plain text."""
    rows = [("what", "measured", "target", "how"), *(line.cells() for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    rule = "-+-".join("-" * width for width in widths)
    text = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([text[0], rule, *text[1:]])
