"""The figures of a run, whatever its suite."""

from __future__ import annotations

from collections.abc import Collection

from matplotlib.figure import Figure

from stillproof.report.accuracy_bars import accuracy_bars
from stillproof.report.answers import answered_rows
from stillproof.report.dc_bench.figures import FIGURES
from stillproof.report.dc_bench.rows import by_section
from stillproof.report.suite_tables import chosen_sections, has_sections
from stillproof.report.tables import accuracy_lines
from stillproof.store.records import Run
from stillproof.store.store import Store


def figures_of(store: Store, run: Run, sections: Collection[str] | None = None) -> dict[str, Figure]:
    """Return the figures of a run by name, of all that has an answer by now; ``sections`` narrows them."""
    chosen = chosen_sections(run, sections)
    if not has_sections(run):
        figure = accuracy_bars(accuracy_lines(store, run)) if chosen else None
        return {} if figure is None else {run.suite: figure}
    rows = by_section(answered_rows(store, run))
    drawn = (FIGURES[section](rows) for section in chosen if section in FIGURES)
    return {f"{run.suite}-{name}": figure for figures in drawn for name, figure in figures.items()}
