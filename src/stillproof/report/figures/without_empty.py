"""What of a figure is known: curves, bars, panels and cells without a value take no place, and are named below it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from stillproof.report.figures.values import Bars, Curve, Curves, HeatCell, HeatMap, StackedBars


def known_curves(figure: Curves) -> Curves:
    """Return a figure of those curves that have a value, and of panels that have a curve."""
    panels = [
        dataclasses.replace(panel, curves=curves)
        for panel in figure.panels
        if (curves := [curve for curve in panel.curves if _is_known(curve)])
    ]
    return dataclasses.replace(figure, panels=panels)


def _is_known(curve: Curve) -> bool:
    return any(point.value or point.published for point in curve.points)


def known_bars(figure: Bars) -> Bars:
    """Return a figure of those methods that have a value anywhere, and of groups that have one in their panel."""
    there = [bar for bar in figure.bars if bar.value or bar.published]
    methods = {bar.method for bar in there}
    groups = {(bar.panel, bar.group) for bar in there}
    return dataclasses.replace(
        figure, bars=[bar for bar in figure.bars if bar.method in methods and (bar.panel, bar.group) in groups]
    )


def known_stacks(figure: StackedBars) -> StackedBars:
    """Return a figure of those bars whose group has a value in one of the panels."""
    there = {stack.group for stack in figure.stacks if stack.total or stack.known()}
    panels = {stack.panel for stack in figure.stacks if stack.total or stack.known()}
    stacks = [stack for stack in figure.stacks if stack.group in there and stack.panel in panels]
    return dataclasses.replace(figure, stacks=stacks)


def known_cells(figure: HeatMap) -> HeatMap:
    """Return a map of those rows and columns that have a value, with a cell in every place."""
    cells = {(cell.row, cell.column): cell for cell in figure.cells}
    there = [cell for cell in cells.values() if cell.value or cell.published]
    rows, columns = {cell.row for cell in there}, {cell.column for cell in there}
    whole = [
        cells.get((row, column), HeatCell(row, column, None))
        for row in dict.fromkeys(row for row, _ in cells if row in rows)
        for column in dict.fromkeys(column for _, column in cells if column in columns)
    ]
    return dataclasses.replace(figure, cells=whole)


def left_out(before: Iterable[str], after: Iterable[str]) -> str:
    """Say which names are not shown, because nothing is known of them."""
    there = set(after)
    names = [name for name in dict.fromkeys(before) if name not in there]
    return f"No result: {', '.join(names)}." if names else ""
