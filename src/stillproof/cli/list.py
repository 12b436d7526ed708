"""stillproof list: what there is, without importing any of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from stillproof.cli.options import JsonOption, PluginOption, load_components
from stillproof.cli.output import write_json, write_table
from stillproof.cli.table import print_text
from stillproof.core.components import REGISTRIES
from stillproof.core.errors import UnknownName
from stillproof.core.index import Entry
from stillproof.core.mad_attacks import ATTACKS
from stillproof.report.mad_tables import about_mad, mad_table

MANY = 4  # short names of one family, from which on they are folded


def command(
    kind: Annotated[str | None, typer.Argument(help="One of: " + ", ".join(REGISTRIES))] = None,
    every: Annotated[bool, typer.Option("--all", help="Also list every short name.")] = False,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """List distillers, networks, data sets, attacks, suites and other components.

    Every kind of component is listed, or only the one that is named.
    """
    if kind is not None and kind not in REGISTRIES:
        raise UnknownName("kind of component", kind, REGISTRIES)
    load_components(plugin)
    kinds = [kind] if kind else list(REGISTRIES)
    entries = {name: [e for _, e in sorted(REGISTRIES[name].entries().items())] for name in kinds}
    if as_json:
        write_json(
            {
                name: [
                    {
                        "name": e.name,
                        "version": e.version,
                        "paper": e.paper,
                        "summary": e.summary,
                        "params": dict(e.params),
                        "origin": e.origin,
                    }
                    for e in found
                ]
                for name, found in entries.items()
            }
            | ({"mad": [about_mad(one) for one in ATTACKS]} if "attacks" in kinds else {})
        )
        return
    for name, found in entries.items():
        rows = [(e.name, about(e), e.paper) for e in found] if every else folded(found)
        write_table(("name", "what it is", "paper"), rows, title=name)
        if name == "attacks":
            print_text([mad_table()], "attacks")


def folded(entries: Sequence[Entry]) -> list[tuple[str, str, str]]:
    """Return name, summary and paper of each; many short names that begin as their family's are told in its row."""
    short: dict[str, list[str]] = {}
    for entry in entries:
        if entry.name.startswith(f"{entry.family}-"):
            short.setdefault(entry.family, []).append(entry.name)
    many = {family: sorted(names, key=len) for family, names in short.items() if len(names) >= MANY}
    rows = []
    for entry in entries:
        names = many.get(entry.family, [])
        if entry.name not in names:
            more = f" Also {len(names)} short names, as {names[0]} and {names[-1]}: see --all." if names else ""
            rows.append((entry.name, about(entry) + more, entry.paper))
    return rows


def about(entry: Entry) -> str:
    """Return what a component is; of a short name, what it is short for."""
    shown = {key: str(value).lower() if isinstance(value, bool) else value for key, value in entry.fixed.items()}
    settled = ", ".join(f"{key}={value}" for key, value in shown.items())
    return f"{entry.family} with {settled}." if settled else entry.summary
