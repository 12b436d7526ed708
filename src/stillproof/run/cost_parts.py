"""How the cost of a plan divides among the rows of its suite: by section, by method, or by both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stillproof.core.spec import Json
from stillproof.run.cell import Cell
from stillproof.run.cost_cuts import closure


@dataclass(frozen=True, slots=True)
class Costs:
    """What the rest of a plan costs, cell by cell; cells that have an answer are not in it.

    Args:
        here: Seconds of each on this machine.
        assumed: Seconds of each on the machine that is assumed, if one is.
    """

    here: Mapping[str, float]
    assumed: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class CostPart:
    """What rows that have something in common cost; cells that other parts need too count for the first.

    Args:
        about: What they have in common.
        cells: Cells left to compute.
        flops: Their work.
        seconds: Their share of the time here.
        assumed_seconds: Their time on the machine that is assumed, if one is.
        saves_seconds: What leaving these rows out would save here: the time of cells that no other part needs.
    """

    about: Mapping[str, str]
    cells: int
    flops: float
    seconds: float
    assumed_seconds: float | None
    saves_seconds: float

    def as_dict(self) -> Json:
        """Return the part as JSON values."""
        return {**self.about, **{name: getattr(self, name) for name in self.__slots__ if name != "about"}}


def cost_parts_by(keys: Sequence[str], rows: Sequence[Json], cells: Mapping[str, Cell], costs: Costs) -> list[CostPart]:
    """Divide the rows of a suite by what they say under some keys; return the parts in their order."""
    asked: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        asked.setdefault(tuple(str(row.get(key, "")) for key in keys), []).extend(row["cells"])
    needed = {about: [name for name in closure(cells, first) if name in costs.here] for about, first in asked.items()}
    wanted = Counter(name for found in needed.values() for name in found)
    counted: set[str] = set()
    parts = []
    for about, found in needed.items():
        own = [name for name in found if name not in counted]
        counted.update(own)
        parts.append(
            CostPart(
                about=dict(zip(keys, about, strict=True)),
                cells=len(own),
                flops=sum(cells[name].flops for name in own),
                seconds=sum(costs.here[name] for name in own),
                assumed_seconds=sum(costs.assumed[name] for name in own) if costs.assumed is not None else None,
                saves_seconds=sum(costs.here[name] for name in found if wanted[name] == 1),
            )
        )
    return parts
