"""How wide a figure is and how its parts stand on it, whatever draws it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from stillproof.core.errors import UnknownName

IN_A_ROW = 2  # panels
LEAST = 14.0  # ems that a panel with numbered axes needs
TRIES = 30


@dataclass(frozen=True, slots=True)
class Page:
    """What a figure is made for.

    Args:
        width: Of the figure, inches.
        points: Size of its text.
        titled: Whether title and caption are in the picture; elsewhere they stand in the text around it.
        dots_per_inch: Of a picture in dots.
    """

    width: float
    points: float
    titled: bool
    dots_per_inch: int

    @property
    def em(self) -> float:
        """Return the size of its text in inches."""
        return self.points / 72

    @property
    def small(self) -> float:
        """Return the size of what is written within panels, in points."""
        return self.points - 1


SCREEN = Page(6.8, 10, titled=True, dots_per_inch=150)
COLUMN = Page(3.25, 8, titled=False, dots_per_inch=300)  # of a paper of two columns
PAGES: Mapping[str, Page] = {"screen": SCREEN, "paper": COLUMN}


def page_named(style: str) -> Page:
    """Return the page of a style.

    Raises:
        UnknownName: There is none of that name.
    """
    if style not in PAGES:
        raise UnknownName("style of figures", style, PAGES)
    return PAGES[style]


def grid_size(panels: int, page: Page, least: float = LEAST) -> tuple[int, int]:
    """Return rows and columns for a number of panels, each of which needs some ems of width."""
    columns = IN_A_ROW if panels > 1 and page.width >= IN_A_ROW * least * page.em else 1
    return math.ceil(panels / columns), columns


def in_lines(widths: Sequence[float], room: float) -> list[list[int]]:
    """Return which things of some widths stand in each line, as words do, in as few lines of about equal width."""
    needed = len(_filled(widths, room))
    narrowest = max(widths, default=0.0)
    rooms = (narrowest + (room - narrowest) * step / TRIES for step in range(TRIES))
    return next((lines for one in rooms if len(lines := _filled(widths, one)) <= needed), _filled(widths, room))


def _filled(widths: Sequence[float], room: float) -> list[list[int]]:
    lines: list[list[int]] = []
    left = 0.0
    for place, width in enumerate(widths):
        if not lines or width > left + 1e-9:
            lines.append([])
            left = room
        lines[-1].append(place)
        left -= width
    return lines


def middles(widths: Sequence[float]) -> list[float]:
    """Return where the middle of each is, if they stand side by side from 0 on."""
    return [end - width / 2 for end, width in zip(accumulate(widths), widths, strict=True)]
