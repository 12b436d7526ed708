"""Tables and figures read answers: nothing that they use, by name and across the files of a suite, asks for a cell."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest

import stillproof
from stillproof.core.components import suites
from stillproof.report.run_report import sections_of

PACKAGE = "stillproof.suites"
ASKING = (f"{PACKAGE}.requests", "Request")  # whoever asks for a cell makes one of these, however many calls away
BUILT_IN = sorted(name for name, entry in suites.entries().items() if entry.origin == "stillproof")

Name = tuple[str, str]  # a module, and what is defined there


def sources() -> dict[str, str]:
    """Return the text of every module of the suites."""
    root = Path(stillproof.__file__).parents[1]
    paths = (root / PACKAGE.replace(".", "/")).rglob("*.py")
    return {".".join(path.relative_to(root).with_suffix("").parts): path.read_text(encoding="utf-8") for path in paths}


class Module:
    """What the names of a module stand for."""

    def __init__(self, name: str, text: str) -> None:
        tree = ast.parse(text)
        self.defined: dict[str, list[ast.AST]] = {}
        self.imported: dict[str, Name] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                self.imported |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        for statement in tree.body:
            for target in bound(statement):
                self.defined.setdefault(target, []).append(statement)
        self.name = name

    def used(self, name: str) -> Iterator[Name]:
        """Yield all that the definition of a name refers to."""
        for statement in self.defined.get(name, []):
            own = local(statement)
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in own:
                    yield self.imported.get(node.id, (self.name, node.id))
                elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    module, inner = self.imported.get(node.value.id, ("", ""))
                    yield f"{module}.{inner}", node.attr  # of a module that was imported as a whole


def bound(statement: ast.stmt) -> list[str]:
    """Return the names that a statement at the top of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    return [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def local(statement: ast.AST) -> set[str]:
    """Return the names of a function's own variables, which hide what has the same name outside."""
    if not isinstance(statement, ast.FunctionDef):
        return set()
    nodes = list(ast.walk(statement))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.arg for node in nodes if isinstance(node, ast.arg)}


def parsed(texts: Mapping[str, str]) -> dict[str, Module]:
    return {name: Module(name, text) for name, text in texts.items()}


def way_to_asking(start: Name, modules: Mapping[str, Module]) -> list[Name]:
    """Return how a definition comes to ask for a cell, name by name; empty if it does not."""
    module, name = start
    assert module not in modules or name in modules[module].defined, f"{name} cannot be found in {module}"
    ways, seen = [[start]], {start}
    for way in ways:
        module, name = way[-1]
        if (module, name) == ASKING:
            return way
        for found in modules[module].used(name) if module in modules else ():
            if found not in seen:
                seen.add(found)
                ways.append([*way, found])
    return []


def readers() -> Iterator[Name]:
    """Yield the functions that make tables and figures, of all sections of built-in suites."""
    for suite in BUILT_IN:
        for section in sections_of(suite):
            for made in (section.tables, section.figures):
                function = made.func if isinstance(made, partial) else made  # of another suite's section
                yield function.__module__, function.__qualname__


def test_what_makes_tables_and_figures_never_asks_for_cells() -> None:
    modules, found = parsed(sources()), set(readers())
    assert len(found) > 20
    assert [way for reader in sorted(found) if (way := way_to_asking(reader, modules))] == []


def test_what_makes_rows_does() -> None:
    """The walk finds its way from the rows of every section, whichever helpers they go through."""
    modules = parsed(sources())
    for suite in BUILT_IN:
        for section in (one for one in sections_of(suite) if one.rows is not None):
            assert way_to_asking((section.rows.__module__, section.rows.__qualname__), modules), section.name


ASKS = """
from stillproof.suites.requests import trained

LATER = {"again": lambda on: trained(on, "mlp", "quick", 0)}

def _again(on):
    return trained(on, "mlp", "quick", 0)

class Helper:
    def again(self, on):
        return _again(on)
"""
READS = """
from stillproof.suites.made_up.asks import LATER, Helper, _again
from stillproof.suites.made_up import asks
from stillproof.suites.row_builder import FULL

def tables(rows):
    return [_line(row) for row in rows]

def _line(row):
    {use}
"""


@pytest.mark.parametrize(
    ("use", "noticed"),
    [
        ("return _again(row)", True),
        ("return asks._again(row)", True),
        ("return Helper().again(row)", True),
        ("return LATER['again'](row)", True),
        ("return [(lambda: _again)() for _ in row]", True),
        ("return row[FULL]", False),
        ("_again = row[0]; return _again", False),
        ("return row._again", False),
    ],
)
def test_asking_in_a_table_is_noticed(use: str, noticed: bool) -> None:
    made_up = f"{PACKAGE}.made_up"
    texts = sources() | {f"{made_up}.asks": ASKS, f"{made_up}.reads": READS.format(use=use)}
    way = way_to_asking((f"{made_up}.reads", "tables"), parsed(texts))
    assert bool(way) == noticed and way[-1:] == [ASKING] * noticed


@pytest.mark.parametrize("suite", BUILT_IN)
def test_every_section_says_what_it_asks_and_how_to_read_the_answer(suite: str) -> None:
    for section in sections_of(suite):
        assert section.title and not section.title.endswith("."), section.name
        assert section.question.endswith("?") and section.reading.endswith("."), section.name
