"""The contract of a suite."""

from __future__ import annotations

import dataclasses
import functools
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stillproof.core.components import REGISTRIES, suites
from stillproof.core.errors import BadInput
from stillproof.core.presets import SCALES, preset_params
from stillproof.core.spec import canonical_json
from stillproof.testing.checks import CannotBeChecked, Result, need, run_checks
from stillproof.testing.choices import TITLE, try_every_choice

# In a fresh process, since this one has torch loaded; a plug-in comes by standard input.
WITHOUT_TORCH = """
import json
import sys
from stillproof.core.components import REGISTRIES, suites
from stillproof.core.errors import BadInput
from stillproof.core.plugin_file import Helper, Plugin
from stillproof.core.plugins import index_entry_points, load_plugin

index_entry_points()
given = json.load(sys.stdin)
if given is not None:
    load_plugin(Plugin(**given | {"helpers": tuple(Helper(**one) for one in given["helpers"])}))
try:
    suites.build(sys.argv[1]).rows()
except BadInput:
    pass
sys.exit(3 if "torch" in sys.modules else 0)
"""


def check_suite(name: str) -> list[Result]:
    """Run the contract."""
    at_each_scale = functools.cache(lambda: [_rows_of(suite) for suite in _at_each_scale(name)])  # slow at the last
    return run_checks(
        "suite",
        name,
        {
            "builds at each scale, from plain JSON": lambda: _builds(name),
            "has rows with requests, or says clearly why not": lambda: _rows(at_each_scale()),
            "the keys of its rows are plain JSON": lambda: _keys(at_each_scale()),
            "leaves torch alone": lambda: _torch_free(name),
            TITLE: lambda: try_every_choice(suites, name, lambda choice: _asks_with(name, choice)),
        },
    )


def _at_each_scale(name: str) -> Iterator[Any]:
    for scale in SCALES:
        yield suites.build(name, preset_params(suites.get(name), scale, "", 1))


def _builds(name: str) -> None:
    for suite in _at_each_scale(name):
        canonical_json(suites.spec(suite).as_dict())


def _rows_of(suite: Any) -> Sequence[Any]:
    """Return the rows of a suite; one that needs more than its defaults must say so."""
    try:
        rows: Sequence[Any] = suite.rows()
    except BadInput as error:
        need(len(str(error)) > 20, "its message does not help")
        return []
    need(len(rows) > 0, "it has no rows, and does not say why")
    return rows


def _rows(at_each_scale: Sequence[Sequence[Any]]) -> None:
    for rows in at_each_scale:
        asking = {row.keys.get("section") for row in rows if row.requests}
        for row in rows:  # a section of its own may only tell what the others do
            telling = bool(asking) and row.keys.get("section") not in asking
            need(bool(row.requests or row.reason) or telling, f"row {dict(row.keys)} has no requests, and no reason")


def _asks_with(name: str, choice: Mapping[str, Any]) -> None:
    suites.build(name, {**preset_params(suites.get(name), "smoke", "", 1), **choice}).rows()


def _keys(at_each_scale: Sequence[Sequence[Any]]) -> None:
    for rows in at_each_scale:
        for row in rows:
            canonical_json(dict(row.keys))
            need("cells" not in row.keys, "a row has a key 'cells', which the store needs for itself")


def _torch_free(name: str) -> None:
    module = suites.get(name).__module__
    others = [
        entry for registry in REGISTRIES.values() if registry is not suites for entry in registry.entries().values()
    ]
    if module == "__main__" or any(entry.module == module for entry in others):
        raise CannotBeChecked  # a notebook, which no other process can import, or a file that also has other components
    plugin = getattr(sys.modules[module], "__plugin__", None)
    given = json.dumps(None if plugin is None else dataclasses.asdict(plugin))
    command = [sys.executable, "-c", WITHOUT_TORCH, name]
    done = subprocess.run(command, input=given.encode(), capture_output=True, check=False)
    need(done.returncode != 3, "it imports torch: name components by string, and define others in files of their own")
    said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    need(done.returncode == 0, f"alone in a new process it fails: {said}")
