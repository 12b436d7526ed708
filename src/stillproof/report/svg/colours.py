"""Colours of figures on a page, light or dark: variables of CSS, with the light ones where a page sets none.

Looks that are too dark for a dark page have a lighter colour there, which is as far from all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType

from stillproof.report.figures import looks
from stillproof.report.figures.looks import HEAT, LOOKS, Look

DARK_PAPER = "#15171a"
INK, FAINT, PAPER, GRID, NO_ANSWER = (
    f"var(--{name}, {colour})"
    for name, colour in (
        ("ink", looks.INK),
        ("faint", looks.FAINT),
        ("paper", looks.PAPER),
        ("grid", "#dedede"),
        ("no-answer", looks.NO_ANSWER),
    )
)
WARNING = "var(--warning, #c22f2f)"
_NAMES = {look.colour: name for name, look in LOOKS.items()}
_LIGHTER = {
    **{"full": "#e8e6e3", "k-center": "#f2cb7a", "dm": "#a9d1f7", "idm": "#9e43d0", "bacon": "#e1a0a0"},
    **{"datadam": "#257839", "k-center-greedy": "#c22c9e", "sre2l": "#b4a6e9"},
}
LIGHT_THEME: Mapping[str, str] = MappingProxyType(
    {
        **{"--ink": looks.INK, "--faint": looks.FAINT, "--paper": looks.PAPER, "--grid": "#dedede"},
        **{"--no-answer": looks.NO_ANSWER, "--warning": "#c22f2f"},
        **{f"--look-{name}": look.colour for name, look in LOOKS.items()},
    }
)
DARK_THEME: Mapping[str, str] = MappingProxyType(
    {
        **{"--ink": "#e8e6e3", "--faint": "#a3a7ad", "--paper": DARK_PAPER, "--grid": "#34383e"},
        **{"--no-answer": "#2a2e33", "--warning": "#ff7a70"},
        **{f"--look-{name}": _LIGHTER.get(name, look.colour) for name, look in LOOKS.items()},
    }
)


def colour_of(look: Look) -> str:
    """Return the colour of a look as it is written in a figure."""
    return f"var(--look-{_NAMES[look.colour]}, {look.colour})"


def heat(share: float) -> str:
    """Return the colour of a cell, from little (0) to much (1): light on every page, for dark text."""
    place = min(max(share, 0.0), 1.0) * (len(HEAT) - 1)
    part = min(int(place), len(HEAT) - 2)
    low, high = list(pairwise(HEAT))[part]
    mixed = (round(one + (other - one) * (place - part)) for one, other in zip(_rgb(low), _rgb(high), strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
