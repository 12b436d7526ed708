"""Renders pages: templates with everything escaped, and the names of their files."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup, escape

from stillproof.core.errors import BadInput
from stillproof.report.figures.values import FigureData
from stillproof.report.rows import images
from stillproof.report.svg.colours import DARK_THEME, LIGHT_THEME
from stillproof.report.svg.draw import to_svg
from stillproof.report.svg.page import FIGURE_CSS
from stillproof.report.tables.table import Chance
from stillproof.report.tables.text import text_of
from stillproof.site.best import MOST, headlines, neighbours, standing
from stillproof.site.board import Board, datasets_of
from stillproof.site.cells import cell_files, cell_page
from stillproof.site.claims import Claimed, reported
from stillproof.site.data import data_file, data_files
from stillproof.site.findings import FINDINGS
from stillproof.site.method import MethodPage
from stillproof.site.pairs import pairs_on
from stillproof.site.slugs import method_page
from stillproof.site.suite_page import SuitePage
from stillproof.site.view import View
from stillproof.store.records import Record
from stillproof.suites.report_card.card import ReportCard
from stillproof.suites.report_card.sides import SIDES

CODE = re.compile(r"`([^`]+)`")


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
        claimed: Results from elsewhere, and what became of them here.
        facts: What the front page counts.
        commands: The command of each run, by what the run is called.
        pictures: The picture of each set, by its id.
        cells: All cells that numbers stand on, by id.
    """

    title: str
    boards: Sequence[Board]
    suites: Sequence[SuitePage]
    cards: Mapping[str, Sequence[ReportCard]]
    claimed: Sequence[Claimed]
    facts: SiteFacts
    commands: Mapping[str, str]
    pictures: Mapping[str, bytes]
    cells: Mapping[str, Record]

    def pages(self) -> Iterator[tuple[str, str | bytes]]:
        """Yield the name and the text of every file."""
        yield from self._html()
        yield from data_files(self.boards)
        yield from cell_files(self.cells)
        yield from ((_picture(artifact), picture) for artifact, picture in self.pictures.items())
        yield "site.css", _style()
        for name in ("site.js", "compare.js", "cell.js"):
            yield name, _asset(name)

    def _html(self) -> Iterator[tuple[str, str]]:
        shared = self._shared()
        first = max(self.boards, key=standing)
        view = View(first.key.title, [first])
        told = {"facts": self.facts, "headlines": headlines(self.boards), "findings": FINDINGS[:MOST]}
        yield "index.html", _render("index.html", shared, view=view, **told)
        for board in self.boards:
            around = neighbours(board.key, [other.key for other in self.boards])
            view = View(board.key.title, [board])
            yield board.key.page, _render("board.html", shared, view=view, board=board, neighbours=around)
            yield board.key.pairs_page, _render("compare.html", shared, board=board, pairs=list(pairs_on(board)))
        for view in shared["wholes"].values():
            yield view.page, _render("board.html", shared, view=view, board=None, neighbours={})
        for suite in self.suites:
            yield suite.page, _render("suite.html", shared, suite=suite)
        for method, found in self.cards.items():
            entries = [(board, line) for board in self.boards for line in board.lines if line.method == method]
            own = MethodPage(method, found, entries)
            yield method_page(method), _render("method.html", shared, page=own)
        yield "claims.html", _render("claims.html", shared, claimed=self.claimed, reported=list(reported(self.boards)))
        yield "findings.html", _render("findings.html", shared, findings=FINDINGS)
        yield "metrics.html", _render("metrics.html", shared, sides=SIDES)
        yield "cell.html", _render("cell.html", shared)

    def _shared(self) -> dict[str, Any]:
        """Return what all pages know."""
        by_dataset = datasets_of(self.boards)
        return {
            "site": self.title,
            "boards": self.boards,
            "by_dataset": by_dataset,
            "wholes": {
                name: View(f"{name}, everything", found) for name, found in by_dataset.items() if len(found) > 1
            },
            "suites": self.suites,
            "methods": {method: method_page(method) for method in sorted(self.cards)},
            "commands": self.commands,
            "pictures": {artifact: _picture(artifact) for artifact in self.pictures},
            "cells": self.cells,
            "cell_page": cell_page,
            "data_file": data_file,
            "images": images,
        }


def _picture(artifact: str) -> str:
    return f"set-{artifact[:16]}.png"


@cache
def _templates() -> jinja2.Environment:
    """Return the templates; a name that a template does not know is an error, and every text is escaped."""
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("stillproof.site"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["with_code"] = _with_code
    return found


def _with_code(text: str) -> Markup:
    """Return a text with what stands between backticks as code."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))


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


def _asset(name: str) -> str:
    loader = _templates().loader
    assert loader is not None
    source, _, _ = loader.get_source(_templates(), name)
    return source
