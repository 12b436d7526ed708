"""stillproof list: what there is, without importing any of it."""

from __future__ import annotations

from typing import Annotated

import typer

from stillproof.cli.options import JsonOption, PluginOption, load_components
from stillproof.cli.output import write_json, write_table
from stillproof.core.components import REGISTRIES
from stillproof.core.errors import UnknownName


def command(
    kind: Annotated[str | None, typer.Argument(help="One of: " + ", ".join(REGISTRIES))] = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """List distillers, networks, data sets, recipes, objectives, augmentations and suites."""
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
        )
        return
    for name, found in entries.items():
        write_table(("name", "what it is", "paper"), [(e.name, e.summary, e.paper) for e in found], title=name)
