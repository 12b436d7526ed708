"""stillproof check: does a plug-in keep the contracts?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.options import JsonOption
from stillproof.cli.output import write, write_json
from stillproof.core.errors import BadInput
from stillproof.core.plugins import load_plugin, read_plugin
from stillproof.core.result_stream import results_apart


def command(plugin: Annotated[Path, typer.Argument(help="Python file to check.")], as_json: JsonOption = False) -> None:
    """Check that the components of a plug-in keep their contracts."""
    from stillproof.testing.check import check_module

    loaded = read_plugin(plugin)
    with results_apart():
        load_plugin(loaded)
        results = check_module(loaded.module)
    if not results:
        raise BadInput(f"{plugin} registers nothing that can be checked.")
    if as_json:
        write_json({"plugin": str(plugin), "checks": results})
    else:
        for result in results:
            mark = "ok  " if result["ok"] else "FAIL"
            problem = f": {result['problem']}" if result["problem"] else ""
            write(f"{mark} {result['kind']} {result['name']}: {result['check']}{problem}")
    broken = sum(not result["ok"] for result in results)
    if broken:
        raise BadInput(f"{broken} of {len(results)} checks failed.")
