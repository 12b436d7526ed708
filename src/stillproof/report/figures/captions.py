"""The sentences below each kind of figure: what holds for its numbers, what its marks are, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable

from stillproof.report.captions import (
    cut_sentence,
    dash_sentence,
    join,
    published_sentence,
    seeds_sentence,
)
from stillproof.report.figures.radar import Radar
from stillproof.report.figures.values import (
    Bar,
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
from stillproof.report.figures.without_empty import known_bars, known_cells, known_curves, known_stacks, left_out


def full_caption(figure: FigureData) -> str:
    """Return what stands below a figure whose title is not in the picture."""
    end = "" if figure.title.endswith(("?", "!", ".")) else "."
    return f"{figure.title}{end} {caption(figure)}"


def caption(figure: FigureData) -> str:
    """Return what is seen in a figure and what holds for its numbers, in sentences."""
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
        case Radar():
            return _radar(figure)
        case Scatter():
            return _scatter(figure)
        case StackedBars():
            return _stacked_bars(figure)
        case StepCurves():
            return _step_curves(figure)


def _bars(figure: Bars) -> str:
    shown = known_bars(figure).bars
    values = [bar.value for bar in shown]
    seen = f"Bars: {figure.measure.title} by {figure.group_name}."
    missing = join(
        left_out((bar.method for bar in figure.bars), (bar.method for bar in shown)),
        left_out(_groups(figure.bars, figure), _groups(shown, figure)),
    )
    published = published_sentence([bar.published for bar in shown], "Diamonds")
    numbers = join(seeds_sentence(values, "whiskers"), cut_sentence(values, figure.measure), dash_sentence(values))
    return join(seen, _chance(figure.chance), figure.basis.sentence(), numbers, missing, published)


def _groups(bars: Iterable[Bar], figure: Bars) -> list[str]:
    """Return what the groups of bars are called: with their panel, where there are several."""
    several = len({bar.panel for bar in figure.bars}) > 1
    return [f"{figure.group_name} {bar.group}{f' ({bar.panel})' if several else ''}" for bar in bars]


def _curves(figure: Curves) -> str:
    shown = known_curves(figure)
    marks = list(shown.marks())
    values = [mark.value for mark in marks]
    levels = list(dict.fromkeys(level.label for panel in shown.panels for level in panel.levels))
    known = any(level.value.ci95 for panel in shown.panels for level in panel.levels)
    ends = ", with their intervals at the right end" if known and not figure.banded else ""
    across = f"Lines across: {', '.join(levels)}{ends}." if levels else ""
    seen = _sentence(f"{figure.measure.title} over {figure.x_name}")
    lines = f"Solid: {figure.lines[0]}; dashed: {figure.lines[1]}." if figure.lines else ""
    several = any(len(panel.curves) > 1 for panel in shown.panels)
    aside = "Curves stand a little aside from each other." if several and not figure.banded else ""
    seeds = seeds_sentence(values, "bands" if figure.banded else "whiskers")
    missing = left_out(
        (curve.method for panel in figure.panels for curve in panel.curves),
        (curve.method for panel in shown.panels for curve in panel.curves),
    )
    published = published_sentence([mark.published for mark in marks], "Diamonds")
    reading = join(seen, lines, across, _chance(figure.chance), figure.basis.sentence())
    return join(reading, seeds, cut_sentence(values, figure.measure), aside, missing, published)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _chance(chance: float | None) -> str:
    return f"Dotted: chance, {100 * chance:.3g} %." if chance is not None else ""


def _embedding(figure: Embedding) -> str:
    clouds = figure.shown()
    seen = "Small grey dots: real images; large marks: synthetic ones."
    counts = ", ".join(f"{len(cloud.points)} {cloud.method}" for cloud in clouds)
    shares = ", ".join(f"{cloud.method} {100 * cloud.coverage:.1f} %" for cloud in clouds)
    numbers = f"n = {len(figure.real)} real points; synthetic: {counts}."
    missing = left_out((cloud.method for cloud in figure.clouds), (cloud.method for cloud in clouds))
    share = f"Coverage: {shares}."
    return join(seen, figure.how, numbers, share, figure.covered, "The axes have no unit.", missing)


def _heat_map(figure: HeatMap) -> str:
    shown = known_cells(figure).cells
    values = [cell.value for cell in shown]
    seen = _sentence(f"{figure.measure.title} by {figure.row_name} (lines) and {figure.column_name} (columns)")
    there = figure.home in {cell.column for cell in shown}
    home = f"Framed: {figure.home}, {figure.framed}." if there else ""
    rows = left_out((cell.row for cell in figure.cells), (cell.row for cell in shown))
    columns = left_out((cell.column for cell in figure.cells), (cell.column for cell in shown))
    published = published_sentence([cell.published for cell in shown], "In brackets")
    seeds = seeds_sentence(values, "small numbers")
    return join(seen, figure.basis.sentence(), seeds, dash_sentence(values), rows, columns, home, published)


def _plane(figure: Plane) -> str:
    spots = figure.shown()
    values = [value for spot in spots for value in (spot.x, spot.y)]
    seen = f"Across: {figure.x.title}; upwards: {figure.y.title}. Better towards the {figure.better}."
    lines = f"Dotted lines, with their numbers: the same {figure.score_name}, from 0 to 100."
    absent = sorted({f"{spot.method} ({spot.panel})" for spot in figure.spots if spot.x is None or spot.y is None})
    missing = f"No result: {', '.join(absent)}." if absent else ""
    published = published_sentence([value for spot in spots for value in spot.published or ()], "Diamonds")
    cut = cut_sentence([spot.x for spot in spots], figure.x) or cut_sentence([spot.y for spot in spots], figure.y)
    return join(seen, lines, figure.basis.sentence(), seeds_sentence(values, "whiskers"), cut, missing, published)


def _radar(figure: Radar) -> str:
    seen = "Ranks by the mean on each side, among methods with the same settings; the best are at the rim."
    band = "Thick lines: the ranks that cannot be excluded."
    shown = figure.shown()
    missing = left_out((panel.method for panel in figure.panels), (panel.method for panel in shown))
    dash = "A dash: not ranked." if any(ray.rank is None for panel in shown for ray in panel.rays) else ""
    return join(seen, band, figure.basis.sentence(), dash, missing)


def _scatter(figure: Scatter) -> str:
    searches = figure.shown()
    seen = f"Each mark is an architecture: across, {figure.x.title}; upwards, {figure.y.title}."
    told = "Star: chosen by the search; square: best in truth."
    counts = sorted({len(search.proxy) for search in searches})
    n = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    estimates = [e for search in searches for e in (search.agreement.spearman, search.agreement.kendall)]
    known = any(estimate.ci95 for estimate in estimates)
    interval = f"In brackets: 95 % interval, {figure.interval}." if known else ""
    reasons = " ".join(sorted({f"Missing: {estimate.reason}." for estimate in estimates if estimate.reason}))
    missing = left_out((search.method for search in figure.searches), (search.method for search in searches))
    published = published_sentence([search.published for search in searches], "Correlations")
    about = join(seen, told, figure.basis.sentence(), f"n = {n} architectures.")
    return join(about, interval, reasons, missing, published)


def _stacked_bars(figure: StackedBars) -> str:
    shown = known_stacks(figure).stacks
    totals = [stack.total for stack in shown]
    seen = f"Bars: {figure.measure.title} by {figure.group_name}, in steps."
    reading = "Each part stands where the one before it ends; hatched: it takes away."
    dash = dash_sentence([None]) if any(not stack.known() for stack in shown) else ""
    missing = left_out((stack.group for stack in figure.stacks), (stack.group for stack in shown))
    numbers = join(seeds_sentence(totals, "whiskers"), cut_sentence(totals), dash, missing)
    return join(seen, reading, _chance(figure.chance), figure.basis.sentence(), numbers)


def _step_curves(figure: StepCurves) -> str:
    seen = _sentence(f"{figure.measure.title} over {figure.x_name}")
    return join(seen, figure.note)
