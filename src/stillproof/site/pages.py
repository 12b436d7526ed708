"""Renders pages: templates with everything escaped, and the names of their files."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup, escape

from stillproof.core.components import distillers
from stillproof.core.errors import BadInput
from stillproof.core.reference import parse_reference
from stillproof.report.citations import bibliography, papers_of
from stillproof.report.figures.values import FigureData
from stillproof.report.svg.colours import DARK_THEME, LIGHT_THEME
from stillproof.report.svg.draw import to_svg
from stillproof.report.svg.page import FIGURE_CSS
from stillproof.report.tables.table import Chance
from stillproof.report.tables.text import text_of
from stillproof.site.board import Board
from stillproof.site.cells import cell_files, cell_page
from stillproof.site.data import data_file, data_files
from stillproof.site.findings import FINDINGS
from stillproof.site.slugs import method_page
from stillproof.site.suite_page import SuitePage
from stillproof.store.records import Record
from stillproof.suites.report_card.card import ReportCard
from stillproof.suites.report_card.sides import SIDES


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """What the front page counts: answers of the store, and how long they took."""

    cells: int
    time: str


@dataclass(frozen=True)
class Site:
    """All that the pages show.

    Args:
        title: What the site is called.
        boards: Its leaderboards.
        suites: The tables of every suite.
        cards: The cards of every method.
        facts: What the front page counts.
        commands: The command of each run, by what the run is called.
        pictures: The picture of each set, by its id.
        cells: All cells that numbers stand on, by id.
    """

    title: str
    boards: Sequence[Board]
    suites: Sequence[SuitePage]
    cards: Mapping[str, Sequence[ReportCard]]
    facts: SiteFacts
    commands: Mapping[str, str]
    pictures: Mapping[str, bytes]
    cells: Mapping[str, Record]

    def pages(self) -> Iterator[tuple[str, str | bytes]]:
        """Yield the name and the text of every file."""
        methods = {method: method_page(method) for method in sorted(self.cards)}
        drawn = {artifact: f"set-{artifact[:16]}.png" for artifact in self.pictures}
        shared: dict[str, Any] = {"site": self.title, "boards": self.boards, "suites": self.suites, "methods": methods}
        shared |= {"commands": self.commands, "pictures": drawn, "cells": self.cells, "cell_page": cell_page}
        first = _most_known(self.boards)
        yield (
            "index.html",
            _render(
                "index.html", shared, facts=self.facts, shown=first, data_file=first and data_file(first.key.dataset)
            ),
        )
        for board in self.boards:
            yield board.key.page, _render("board.html", shared, board=board, data_file=data_file(board.key.dataset))
            yield board.key.pairs_page, _render("compare.html", shared, board=board)
        for suite in self.suites:
            yield suite.page, _render("suite.html", shared, suite=suite)
        for method, found in self.cards.items():
            yield (
                method_page(method),
                _render("method.html", shared, method=method, cards=found, citation=_citation(method)),
            )
        yield "findings.html", _render("findings.html", shared, findings=FINDINGS)
        yield "metrics.html", _render("metrics.html", shared, sides=SIDES)
        yield "cell.html", _render("cell.html", shared)
        yield from data_files(self.boards)
        yield from cell_files(self.cells)
        yield from ((drawn[artifact], picture) for artifact, picture in self.pictures.items())
        yield "site.css", _style()
        for name in ("site.js", "cell.js"):
            yield name, _asset(name)


@cache
def _templates() -> jinja2.Environment:
    """Return the templates; a name that a template does not know is an error, and every text is escaped."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("stillproof.site"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _render(template: str, shared: Mapping[str, Any], **values: Any) -> str:
    numbers = itertools.count(1)  # no two figures of a page have ids in common

    def draw(figure: FigureData) -> Markup:
        return Markup(_drawn(figure, f"figure-{next(numbers)}"))  # what it is made of is escaped there

    return _templates().get_template(template).render(**shared, **values, draw=draw, chance=_chance)


def _drawn(figure: FigureData, prefix: str) -> str:
    try:
        return to_svg(figure, prefix)
    except BadInput as error:  # more methods than can be told apart: the tables have them all
        return f"<p>{escape(str(error))}</p>"


def _style() -> str:
    """Return the sheet of all pages: that of the site, of figures, and the colours of methods, light and dark."""
    dark = f"@media (prefers-color-scheme: dark) {{ {_colours(DARK_THEME)} }}\n"
    return f"{_asset('site.css')}{FIGURE_CSS}{_colours(LIGHT_THEME)}\n{dark}"


def _colours(theme: Mapping[str, str]) -> str:
    """Return the colours of a theme that the site's own sheet does not settle."""
    told = "; ".join(f"{name}: {colour}" for name, colour in theme.items() if name not in ("--ink", "--faint"))
    return f":root {{ {told} }}"


def _chance(p: float | None) -> str:
    return text_of(None if p is None else Chance(p))


def _citation(method: str) -> str:
    """Return the BibTeX of a distiller; nothing of a set, or of one without a paper."""
    papers = papers_of(distillers.find(parse_reference(method)[0]))
    return "\n".join(bibliography().get(paper, paper) for paper in papers)


def _asset(name: str) -> str:
    loader = _templates().loader
    assert loader is not None
    source, _, _ = loader.get_source(_templates(), name)
    return source


def _most_known(boards: Sequence[Board]) -> Board | None:
    """Return the board with most numbers, which the front page shows."""
    return max(boards, key=lambda board: sum(len(line.entries) for line in board.lines), default=None)
