"""One look for each method, wherever it is shown, whatever draws it; no two methods of a figure look alike.

A look is a colour with a mark, and a line and a filling for figures without marks. Two looks differ in colour, or else
in all of the rest: they can be told apart as curves, as marks, as lines and as bars.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from stillproof.core.errors import BadInput

Mark: TypeAlias = Literal[
    "circle",
    "octagon",
    "triangle up",
    "plus",
    "triangle down",
    "pentagon",
    "square",
    "cross",
    "triangle left",
    "triangle right",
    "star",
    "hexagon",
    "corner upper left",
    "corner lower right",
    "half disc",
]  # diamonds are left to published values
Line: TypeAlias = Literal["solid", "dashed", "dotted", "dash-dotted"]
Fill: TypeAlias = Literal["plain", "striped", "dotted", "crossed"]

INK, FAINT, PAPER = "#1a1a1a", "#6b6b6b", "#ffffff"
REAL_DOTS = "#8e8e8e"  # real images among synthetic ones
PARTS = ("#8e8e8e", "#2f6db3", "#c47a1c", "#3d8f6b")  # of what an accuracy is made of, from the first on
HEAT = ("#dceaf5", "#9cc8e4", "#4f9bcb")  # from little to much; dark text can be read on all of it
NO_ANSWER = "#eeeeee"  # of a cell of a heat map


@dataclass(frozen=True, slots=True)
class Look:
    """How a method is drawn: a line is that of its curve, a filling that of its bars."""

    colour: str
    mark: Mark
    line: Line = "solid"
    fill: Fill = "plain"


# Colours by a search for such as stay far apart for every kind of colour vision and can be seen on white.
LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "full": Look(INK, "octagon"),
        "random": Look("#8e8e8e", "circle", "dashed"),  # what every method must beat is seen at once
        "k-center": Look("#7e5c0a", "triangle up"),
        "herding": Look("#e57259", "plus"),
        "dc": Look("#66a100", "triangle down"),
        "dsa": Look("#1a90ff", "pentagon"),
        "dm": Look("#1a32bf", "square"),
        "mtt": Look("#f2076e", "cross"),
        "kip": Look("#c17ebb", "triangle left"),
        "idm": Look("#403271", "triangle right"),
        "bacon": Look("#7f0248", "star"),
        "datadam": Look("#054717", "hexagon"),
        "k-center-greedy": Look("#a825a7", "corner upper left"),
        "rded": Look("#ff09fa", "corner lower right"),
        "sre2l": Look("#8403ff", "half disc"),
    }
)
# What is no method, and seldom beside that one, but has the same look in all figures of a suite.
_LIKE = {
    **{"noise": "bacon", "real": "dsa"},  # where synthesis starts
    **{"none": "random", "no defence": "random", "pgd-at": "dsa", "trades": "mtt", "mart": "dc", "trs": "dm"},
    **{"r-at": "dsa", "r-fast": "mtt", "r-free": "dc", "r-yopo": "herding", "r-atta": "datadam", "meta-at": "dm"},
    **{"pixels": "dm", "normalised": "herding"},  # threat models
}
_ROUNDS: tuple[tuple[Line, Fill], ...] = (
    ("solid", "plain"),
    ("dashed", "striped"),
    ("dotted", "dotted"),
    ("dash-dotted", "crossed"),
)
_SPARE = tuple(
    LOOKS[name]
    for name in (
        *("dsa", "mtt", "dc", "dm", "herding", "datadam", "sre2l", "k-center"),
        *("rded", "bacon", "kip", "idm", "k-center-greedy"),
    )
)
_SHIFT = 4  # by so many places marks move on against colours from round to round


def looks_of(names: Iterable[str]) -> dict[str, Look]:
    """Return a look for each name: its own if it is known, else the first that is free, whatever their order.

    A variant such as ``dm:init=noise`` takes the look of its method unless that is in the figure too.

    Raises:
        BadInput: There are more names than looks.
    """
    asked = list(dict.fromkeys(names))
    found = {name: LOOKS[name] for name in asked if name in LOOKS}
    every = list(_all_looks())
    for name in sorted(set(asked) - set(found)):
        base = name.partition(":")[0]
        like = LOOKS.get(_LIKE.get(base, base))
        free = (look for look in ([like] if like else []) + every if look not in found.values())
        chosen = next(free, None)
        if chosen is None:
            raise BadInput(
                f"{len(asked)} curves or bars cannot be told apart in one figure, only {len(LOOKS)} that have a look "
                f"of their own and {len(every)} others: choose some with --methods."
            )
        found[name] = chosen
    return {name: found[name] for name in asked}


def _all_looks() -> Iterator[Look]:
    """Yield all looks that any name may take: first all colours, then these again with another line, filling and mark.

    Black and grey are left to full and random images.
    """
    for turn, (line, fill) in enumerate(_ROUNDS):
        for place, look in enumerate(_SPARE):
            yield Look(look.colour, _SPARE[(place + turn * _SHIFT) % len(_SPARE)].mark, line, fill)
