"""One attack in two wordings, such as ``fgsm`` and ``fgsm:eps=8/255``: it must not count twice, or as another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json, canonical_json
from stillproof.run.cell import Cell


def refuse_attacks_twice(named: Iterable[tuple[str, Cell]]) -> None:
    """Refuse attacked sets that are one by their parameters, and two by what they are called."""
    known: dict[str, str] = {}
    for called, cell in named:
        meant = canonical_json({key: value for key, value in cell.spec.items() if key != "called"})
        first = known.setdefault(meant, called)
        if first != called:
            raise BadInput(f"{first} and {called} are the same attack in two wordings: name it once.")


def attacked_in(rows: Iterable[Json], cells: Mapping[str, Cell]) -> Iterator[tuple[str, Cell]]:
    """Yield the attacked sets that rows make or adapt to, each by what its row calls the attack."""
    for row in (row for row in rows if "attack" in row):
        for cell in (cells[name] for name in row["cells"] if name in cells):
            made = cells.get(cell.spec["attacked"].get("cell", "")) if cell.stage == "adapt" else cell
            if made is not None and made.stage == "attacked-set":
                yield str(row["attack"]), made
