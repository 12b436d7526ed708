"""Bars of accuracy by images per class, a panel a data set and network."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from stillproof.report.figures.bars import Bar, Bars, draw_bars
from stillproof.report.figures.caption import Basis
from stillproof.report.tables import Line


def accuracy_bars(lines: Sequence[Line]) -> Figure | None:
    """Return the figure of an accuracy table, or nothing without a single answer."""
    if all(line.accuracy is None for line in lines):
        return None
    bars = [
        Bar(
            group="all" if line.keys.get("ipc") is None else str(line.keys["ipc"]),
            method=str(line.keys.get("method", "")),
            value=line.accuracy,
            panel=", ".join(str(line.keys[key]) for key in ("dataset", "network") if key in line.keys),
        )
        for line in lines
    ]
    recipe, protocol, selection = (" and ".join(_said(lines, key)) for key in ("recipe", "protocol", "selection"))
    basis = Basis(protocol, selection, f"recipe {recipe}" if recipe else "")
    return draw_bars(Bars("Accuracy of networks trained on the sets", bars, basis, group_name="images per class"))


def _said(lines: Sequence[Line], key: str) -> list[str]:
    return list(dict.fromkeys(str(line.keys[key]) for line in lines if line.keys.get(key)))
