"""A section of a suite: its rows, and the tables and figures that show them, under one name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from stillproof.core.errors import UnknownName
from stillproof.report.rows import Rows
from stillproof.report.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stillproof.report.figures.values import FigureData

Ask = TypeVar("Ask")
BETWEEN = "/"  # the name of a suite and that of one of its sections, in a run that asks several suites


def no_figures(rows: Rows) -> Mapping[str, FigureData]:
    """Show nothing."""
    return {}


@dataclass(frozen=True, slots=True)
class Section(Generic[Ask]):
    """One question of a suite; a suite lists its sections as the class variable ``reports``.

    Args:
        name: What its rows have as ``section``, and what ``--section`` asks for.
        rows: What asks for its rows; only the suite itself calls it, with whatever it needs.
        tables: From the rows of all sections by name, its tables; called only if this one has rows.
        figures: The same for its figures as values, each under a name that is good for a file; a figure without an
            answer is left out. One of matplotlib's is taken, too; import matplotlib only when it is drawn.
        title: What it is about, in a few words.
        question: What it asks, in one sentence.
        reading: How to read its answer, in one sentence.
        sums_up: It has no rows of its own, and is shown alone unless others are asked for.
    """

    name: str
    rows: Ask
    tables: Callable[[Rows], Sequence[Table]]
    figures: Callable[[Rows], Mapping[str, FigureData | Figure]] = no_figures
    title: str = ""
    question: str = ""
    reading: str = ""
    sums_up: bool = False

    def as_dict(self) -> dict[str, str]:
        """Return what it is about as JSON values."""
        return {"name": self.name, "title": self.title, "question": self.question, "reading": self.reading}


def sections_named(sections: Iterable[Section[Ask]], names: Iterable[str]) -> list[Section[Ask]]:
    """Return the sections of those names, each once.

    Raises:
        UnknownName: There is no section with one of the names.
    """
    known = {section.name: section for section in sections}
    for name in names:
        if name not in known:
            raise UnknownName("section", name, known)
    return [known[name] for name in dict.fromkeys(names)]
