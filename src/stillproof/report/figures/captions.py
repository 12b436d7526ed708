"""The sentences below each kind of figure: what holds for its numbers, what its marks are, and what is missing."""

from __future__ import annotations

from stillproof.report.captions import (
    cut_sentence,
    dash_sentence,
    join,
    published_sentence,
    seeds_sentence,
)
from stillproof.report.figures.values import (
    Bars,
    Curves,
    Embedding,
    FigureData,
    HeatMap,
    Plane,
    Scatter,
    StackedBars,
    StepCurves,
)


def caption(figure: FigureData) -> str:
    """Return the sentences below a figure."""
    match figure:
        case Bars():
            return _bars(figure)
        case Curves():
            return _curves(figure)
        case Embedding():
            return _embedding(figure)
        case HeatMap():
            return _heat_map(figure)
        case Plane():
            return _plane(figure)
        case Scatter():
            return _scatter(figure)
        case StackedBars():
            return _stacked_bars(figure)
        case StepCurves():
            return figure.note


def _bars(figure: Bars) -> str:
    values = [bar.value for bar in figure.bars]
    published = published_sentence([bar.published for bar in figure.bars], "Diamonds")
    seeds = seeds_sentence(values, "whiskers")
    return join(figure.basis.sentence(), seeds, cut_sentence(values), dash_sentence(values), published)


def _curves(figure: Curves) -> str:
    marks = list(figure.marks())
    values = [mark.value for mark in marks]
    published = published_sentence([mark.published for mark in marks], "Diamonds")
    several = any(len(panel.curves) > 1 for panel in figure.panels)
    aside = "Curves stand a little aside from each other." if several else ""
    seeds = seeds_sentence(values, "bands and whiskers")
    return join(figure.basis.sentence(), seeds, cut_sentence(values, figure.measure), aside, published)


def _embedding(figure: Embedding) -> str:
    clouds = figure.shown()
    counts = ", ".join(f"{len(cloud.points)} {cloud.method}" for cloud in clouds)
    shares = ", ".join(f"{cloud.method} {100 * cloud.coverage:.1f} %" for cloud in clouds)
    numbers = f"n = {len(figure.real)} real points; synthetic: {counts}."
    return join(figure.how, numbers, f"Coverage: {shares}.", figure.covered, "The axes have no unit.")


def _heat_map(figure: HeatMap) -> str:
    values = [cell.value for cell in figure.cells]
    there = figure.home in {cell.column for cell in figure.cells}
    home = f"Framed: {figure.home}, {figure.framed}." if there else ""
    published = published_sentence([cell.published for cell in figure.cells], "In brackets")
    seeds = seeds_sentence(values, "small numbers")
    return join(figure.basis.sentence(), seeds, dash_sentence(values), home, published)


def _plane(figure: Plane) -> str:
    spots = figure.shown()
    values = [value for spot in spots for value in (spot.x, spot.y)]
    lines = f"Dotted lines: the same {figure.score_name}, from 0 to 100."
    absent = sorted({f"{spot.method} ({spot.panel})" for spot in figure.spots if spot.x is None or spot.y is None})
    missing = f"No answer: {', '.join(absent)}." if absent else ""
    published = published_sentence([value for spot in spots for value in spot.published or ()], "Diamonds")
    cut = cut_sentence([spot.x for spot in spots], figure.x) or cut_sentence([spot.y for spot in spots], figure.y)
    return join(figure.basis.sentence(), lines, seeds_sentence(values, "whiskers"), cut, missing, published)


def _scatter(figure: Scatter) -> str:
    searches = figure.shown()
    counts = sorted({len(search.proxy) for search in searches})
    n = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    estimates = [e for search in searches for e in (search.agreement.spearman, search.agreement.kendall)]
    known = any(estimate.ci95 for estimate in estimates)
    interval = f"In brackets: 95 % interval, {figure.interval}." if known else ""
    reasons = " ".join(sorted({f"Missing: {estimate.reason}." for estimate in estimates if estimate.reason}))
    published = published_sentence([search.published for search in searches], "Correlations")
    return join(figure.basis.sentence(), f"n = {n} architectures.", interval, reasons, published)


def _stacked_bars(figure: StackedBars) -> str:
    totals = [stack.total for stack in figure.stacks]
    reading = "Each part stands where the one before it ends; hatched: it takes away."
    dash = dash_sentence([None]) if any(not stack.known() for stack in figure.stacks) else ""
    return join(figure.basis.sentence(), reading, seeds_sentence(totals, "whiskers"), cut_sentence(totals), dash)
