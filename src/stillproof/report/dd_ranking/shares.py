"""What an accuracy is made of: random images, then what a method's images, labels and augmentation add in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.answers import Answered
from stillproof.report.chance import chance_of
from stillproof.report.dd_ranking.chain import STEPS, Chain, chains_of
from stillproof.report.dd_ranking.columns import LABEL_KIND, RATE, about_rows, points
from stillproof.report.dd_ranking.drawing import basis_for, by_figure
from stillproof.report.dd_ranking.sides import whose
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.stacked_bars import Stack, StackedBars, draw_stacked_bars
from stillproof.report.rows import Rows, images, missing_notes
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Table, Value
from stillproof.score.stats import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "What an accuracy is made of"
COLUMNS = (
    *BEFORE,
    LABEL_KIND,
    Column("start", "start %", Summary),
    *(points(step, step) for step in STEPS[1:]),
    Column("total", "in all %", Summary),
    *(MISSING, RATE),
    *RULES_OF_OWN_RECIPES,
)
NOTE = (
    f"start: {STEPS[0]}. Then, each on top of those before it, seed by seed: what the method's images add, what its "
    "labels add, and what the augmentation of its recipe adds. What a step adds depends on the order of the steps."
)


def shares_tables(rows: Rows) -> list[Table]:
    """Return one line per method and number of images."""
    found = chains_of(rows["shares"])
    lines = [_line(chain) for chain in found]
    apart = [whose(chain.row) for chain in found if chain.is_uneven()]
    uneven = [f"Not all seeds have all steps, so that the parts need not add up: {'; '.join(apart)}."] if apart else []
    return [Table("shares", TITLE, COLUMNS, lines, [NOTE, *uneven, *missing_notes(rows["shares"])])]


def shares_figures(rows: Rows) -> dict[str, Figure]:
    """Return one figure per data set, of seeds that have all steps."""
    groups = by_figure(chains_of(rows.get("shares", [])))
    return figures_of("shares", groups, lambda found: any(chain.whole()[1] for chain in found), _draw)


def _line(chain: Chain) -> dict[str, Value]:
    line = about_rows(chain.row, dict(zip(STEPS, chain.steps, strict=True)))
    return line | {"start": _accuracy(chain.steps[0]), **chain.added(), "total": _accuracy(chain.steps[-1])}


def _accuracy(row: Answered | None) -> Summary | None:
    return None if row is None else row.summary()


def _draw(found: list[Chain]) -> Figure:
    """Draw one panel per number of images per class."""
    stacks = [Stack(str(chain.row["method"]), *chain.whole(), images(chain.row["ipc"])) for chain in found]
    rows = [row for chain in found for row in chain.rows()]
    chance = chance_of(str(rows[0]["dataset"]))
    return draw_stacked_bars(StackedBars(TITLE, STEPS, stacks, basis_for(rows), "method", chance))
