"""What all figures share: fonts, lines, and one look for each method, wherever it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

INK, FAINT, PAPER = "#1a1a1a", "#6b6b6b", "#ffffff"
PARTS = ("#c4c4c4", "#2f6db3", "#e8a33d", "#4aa37c")  # of what an accuracy is made of, from the first on
HEAT = ("#fbf7e9", "#b9d7e8", "#4f9bcb")  # from little to much; dark text can be read on all of it

_SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that a figure is the same everywhere
    "font.size": 10.5,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dedede",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # many journals refuse the default of matplotlib
    "svg.hashsalt": "stillproof",  # names inside the file would be random otherwise
}


@dataclass(frozen=True, slots=True)
class Look:
    """Colour and marker; diamonds are left to published values."""

    colour: str
    marker: str


# Chosen by a search for colours that stay far apart for every kind of colour vision.
LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "full": Look(INK, "8"),
        "random": Look("#8e8e8e", "o"),
        "k-center": Look("#e9c200", "^"),
        "herding": Look("#ca7a14", "P"),
        "dc": Look("#00c565", "v"),
        "dsa": Look("#4a70ff", "p"),
        "dm": Look("#070ab5", "s"),
        "mtt": Look("#a81e0d", "X"),
        "kip": Look("#b055b2", "<"),
        "idm": Look("#4f1784", ">"),
        "bacon": Look("#903034", "*"),
        "datadam": Look("#9ad3af", "h"),
        "k-center-greedy": Look("#6a2b5a", "H"),
        "rded": Look("#ff8fdf", "$\u25e2$"),  # a right triangle
        "sre2l": Look("#8000ff", "$\u25d7$"),  # half of a disc
        "noise": Look("#903034", "*"),  # an initialisation, beside random and k-center
    }
)
_SPARE = (
    Look("#070ab5", "p"),
    Look("#e9c200", "8"),
    Look("#00c565", "<"),
    Look("#b055b2", "^"),
    Look("#4a70ff", "P"),
    Look("#a81e0d", "s"),
    Look("#9ad3af", "v"),
    Look("#ca7a14", "X"),
)


def looks_of(names: Iterable[str]) -> dict[str, Look]:
    """Return a look for each name: its own if it is known, else the first that is free, whatever their order.

    A variant such as ``dm:init=noise`` takes the look of its method unless that is in the figure too.
    """
    asked = dict.fromkeys(names)
    found = {name: LOOKS[name] for name in asked if name in LOOKS}
    for name in sorted(set(asked) - set(found)):
        base = LOOKS.get(name.partition(":")[0])
        colours = {look.colour for look in found.values()}
        free = [look for look in (base, *_SPARE) if look is not None and look.colour not in colours]
        unused = [look for look in (*_SPARE, *LOOKS.values()) if look not in found.values()]
        found[name] = (free or unused or _SPARE)[0]
    return {name: found[name] for name in asked}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw and save in the look of all figures, whatever this machine's own matplotlib settings say."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield
