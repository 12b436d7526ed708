"""Do the scores depend on the network that is trained? LRS and the order of methods under each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.dd_ranking.ordered import ordered_figures, ordered_tables
from stillproof.report.rows import Rows
from stillproof.report.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def networks_tables(rows: Rows) -> list[Table]:
    """Return LRS by network, the order of methods under each, and how far it is that under the home network."""
    return ordered_tables(rows, "networks", "network")


def networks_figures(rows: Rows) -> dict[str, Figure]:
    """Return one heat map per data set and number of images per class."""
    return ordered_figures(rows, "networks", "network")
