"""All tables and figures of one suite as it was asked in one way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from stillproof.report.figures.values import FigureData
from stillproof.report.run_report import sections_of
from stillproof.report.section import Section
from stillproof.report.tables.table import Table
from stillproof.report.tables.text import Shown, shown
from stillproof.site.slugs import slug
from stillproof.suites.report_card.merging import Way

SAID = ("scale", "protocol", "recipe", "network")  # parameters that a page names


@dataclass(frozen=True, slots=True)
class SectionPage:
    """One section: what it asks, its tables, and its figures by name."""

    section: Section[Any]
    tables: Sequence[tuple[Table, Shown]]
    figures: Mapping[str, FigureData]

    @property
    def anchor(self) -> str:
        """Return what it is called within the page."""
        return slug(self.section.name)


@dataclass(frozen=True, slots=True)
class SuitePage:
    """A suite in one way; ``number`` tells the ways of a suite apart, the newest being 1."""

    way: Way
    number: int
    sections: Sequence[SectionPage]

    @property
    def page(self) -> str:
        """Return the name of its page."""
        return f"suite-{slug(self.way.suite)}-{self.number}.html"

    @property
    def datasets(self) -> list[str]:
        """Return the data sets that its rows are about."""
        return list(dict.fromkeys(str(row["dataset"]) for rows in self.way.rows.values() for row in rows))

    @property
    def rules(self) -> dict[str, str]:
        """Return the parameters that tell it from other ways of asking."""
        return {key: _plain(self.way.config[key]) for key in SAID if self.way.config.get(key)}


def suite_pages(ways: Sequence[Way]) -> list[SuitePage]:
    """Return a page for every way in which a suite was asked."""
    counts: dict[str, int] = {}
    found = []
    for way in ways:
        counts[way.suite] = counts.get(way.suite, 0) + 1
        found.append(SuitePage(way, counts[way.suite], list(_sections(way))))
    return found


def _sections(way: Way) -> list[SectionPage]:
    asked = [section for section in sections_of(way.suite) if way.rows.get(section.name)]
    return [
        SectionPage(
            section,
            [(table, shown(table)) for table in section.tables(way.rows) if table.rows],
            dict(_figures(section, way)),
        )
        for section in asked
    ]


def _figures(section: Section[Any], way: Way) -> Iterator[tuple[str, FigureData]]:
    """Yield the figures of a section that a page can hold: one of matplotlib's, as a plug-in may draw it, is not."""
    for name, figure in section.figures(way.rows).items():
        if not type(figure).__module__.startswith("matplotlib."):
            yield name, cast(FigureData, figure)


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
