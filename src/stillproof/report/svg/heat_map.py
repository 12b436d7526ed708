"""A heat map with number, interval and published value in each cell; columns continue below if there are many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stillproof.report.figures.looks import INK as DARK
from stillproof.report.figures.pages import in_lines
from stillproof.report.figures.values import HeatCell, HeatMap
from stillproof.report.figures.without_empty import known_cells
from stillproof.report.svg.colours import FAINT, INK, NO_ANSWER, PAPER, heat
from stillproof.report.svg.element import Attribute, Element, element
from stillproof.report.svg.marks import published_text, told, value_text
from stillproof.report.svg.panel import SAMPLE, WIDTH, Drawn, Entry, Panel
from stillproof.report.svg.scales import percent_text
from stillproof.report.svg.text import LINE, SIZE, SMALL, label, labels, least_width, name_lines, shortened, text_width

NAMES = 112.0  # the most that names of rows take
COLUMN = 76.0  # the most that a column is asked to have for its name
WIDEST = 110.0  # of a cell
TINY = 11.0  # size of what stands below a mean
STEPS = 12  # of the colours in the legend


@dataclass(frozen=True, slots=True)
class Grid:
    """What all parts of a map share: rows, the names of columns in lines, sizes, and the ends of the values."""

    rows: Sequence[str]
    heads: Mapping[str, Sequence[str]]
    named: float
    width: float
    above: float
    tall: float
    ends: tuple[float, float]


def draw_heat_map(data: HeatMap) -> Drawn | None:
    """Draw one cell per row and column, with its numbers written in it."""
    means = [cell.value.mean for cell in data.cells if cell.value is not None]
    if not means:
        return None
    cells = known_cells(data).cells
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*((c.row, c.column) for c in cells), strict=True))
    named = min(max(text_width(name, SMALL) for name in (*rows, data.row_name)) + 8, NAMES)
    room = WIDTH - 2 - named
    lines = in_lines([_least(cells, columns)] * len(columns), room)
    width = min(room / max(map(len, lines)), WIDEST)
    heads = {name: name_lines(name, width - 4, SMALL) for name in columns}
    above = LINE * SMALL * (1 + max(map(len, heads.values()))) + 8
    tall = max(34.0, 22 + LINE * TINY * max(len(_small_texts(cell, width)) for cell in cells))
    grid = Grid(rows, heads, named, width, above, tall, (min(means), max(means)))
    panels = [_panel(data, cells, [columns[place] for place in line], grid) for line in lines]
    return Drawn(panels, [_colours(*grid.ends, data)])


def _least(cells: Sequence[HeatCell], columns: Sequence[str]) -> float:
    """Return the least width of a cell: its interval may stand in two lines, a name breaks where it can."""
    texts = [text for cell in cells for text in _small_texts(cell, 0)]
    widest = max((text_width(text, TINY) for text in texts), default=0.0)
    return max(widest, text_width("100.0"), *(min(least_width(name, SMALL), COLUMN) for name in columns)) + 6


def _panel(data: HeatMap, cells: Sequence[HeatCell], columns: Sequence[str], grid: Grid) -> Panel:
    """Return the rows with some of the columns."""
    named, width, above = grid.named, grid.width, grid.above
    middle, high = named + width * len(columns) / 2, above + grid.tall * len(grid.rows)
    parts = [
        label(shortened(data.row_name, named - 4, SMALL), 0, above - 6, size=SMALL, fill=FAINT),
        label(shortened(data.column_name, WIDTH - named, SMALL), middle, SMALL, "middle", SMALL, fill=FAINT),
        *_names(columns, grid),
    ]
    for cell in cells:
        if cell.column in columns:
            x, y = named + width * columns.index(cell.column), above + grid.tall * grid.rows.index(cell.row)
            parts.append(_cell(cell, data, (x, y), grid))
    if data.home in columns:
        x = named + width * columns.index(data.home)
        frame: dict[str, Attribute] = {"fill": "none", "stroke": INK, "stroke_width": 2}
        parts.append(element("rect", x=x, y=above, width=width, height=high - above, **frame))
    return Panel(parts, high + 2)


def _names(columns: Sequence[str], grid: Grid) -> list[Element]:
    """Return the names of columns, which end where the map begins, and those of rows."""
    parts: list[Element] = []
    for place, name in enumerate(columns):
        lines = grid.heads[name]
        first = grid.above - 6 - LINE * SMALL * (len(lines) - 1)
        parts += labels(lines, grid.named + grid.width * (place + 0.5), first, "middle", SMALL, name)
    for place, name in enumerate(grid.rows):
        lines = name_lines(name, grid.named - 4, SMALL, int(grid.tall / (LINE * SMALL)))
        first = grid.above + grid.tall * (place + 0.5) + 0.36 * SMALL - LINE * SMALL * (len(lines) - 1) / 2
        parts += labels(lines, 0, first, "start", SMALL, name)
    return parts


def _cell(cell: HeatCell, data: HeatMap, place: tuple[float, float], grid: Grid) -> Element:
    (x, y), (low, high), width, tall = place, grid.ends, grid.width, grid.tall
    middle = x + width / 2
    share = 0.5 if cell.value is None or high == low else (cell.value.mean - low) / (high - low)
    colour, ink = (NO_ANSWER, INK) if cell.value is None else (heat(share), DARK)
    small = _small_texts(cell, width)
    first = y + (tall - LINE * TINY * len(small)) / 2 + 0.36 * SIZE
    mean = "\u2013" if cell.value is None else f"{100 * cell.value.mean:.1f}"
    said = "no result" if cell.value is None else value_text(cell.value, data.measure)
    published = f"; {published_text(cell.published)}" if cell.published else ""
    return told(
        f"{cell.row}, {cell.column}: {said}{published}",
        element("rect", x=x, y=y, width=width, height=tall, fill=colour, stroke=PAPER, stroke_width=1.5),
        label(mean, middle, first, "middle", SIZE, fill=ink, font_weight="bold"),
        *(
            label(text, middle, first + 2 + LINE * TINY * line, "middle", TINY, fill=ink)
            for line, text in enumerate(small, 1)
        ),
    )


def _small_texts(cell: HeatCell, width: float) -> list[str]:
    """Return what stands below the mean of a cell of some width: its interval is broken where there is no room."""
    lines = []
    if cell.value is not None and cell.value.ci95 is not None:
        low, high = (f"{100 * end:.1f}" for end in cell.value.ci95)
        whole = f"{low} to {high}"
        lines += [whole] if text_width(whole, TINY) <= width - 6 else [f"{low} to", high]
    return [*lines, f"[{cell.published.printed}]"] if cell.published is not None else lines


def _colours(low: float, high: float, data: HeatMap) -> Entry:
    """Return the colours of the cells, and from what to what they go."""
    width = SAMPLE[0] / STEPS
    strip = [
        element("rect", x=place * width, y=2, width=width, height=SAMPLE[1] - 4, fill=heat(place / (STEPS - 1)))
        for place in range(STEPS)
    ]
    return Entry(f"{percent_text(round(low, 3))} to {percent_text(round(high, 3))}: {data.measure.title}", strip)
