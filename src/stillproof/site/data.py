"""What the script needs beyond what is on the page: the parts of scores that are made by a weight, and whole numbers.

Files are scripts that assign a variable, since browsers do not let pages from a folder fetch others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from stillproof.core.spec import Json
from stillproof.site.board import Board, datasets_of
from stillproof.site.entry import Entry, span
from stillproof.site.slugs import slug


def data_file(dataset: str) -> str:
    """Return the name of the file with the numbers of a data set."""
    return f"data-{slug(dataset)}.js"


def data_files(boards: Sequence[Board]) -> Iterator[tuple[str, str]]:
    """Yield one file for each data set, with all of its boards by page."""
    for dataset, found in datasets_of(boards).items():
        own = {board.key.page: _board(board) for board in found}
        yield data_file(dataset), f"(window.stillproof ??= {{}})[{as_script(dataset)}] = {as_script(own)};\n"


def _board(board: Board) -> Json:
    """Return a board column by column."""
    return {
        "methods": [line.method for line in board.lines],
        "sides": {
            side.name: {
                "better": side.better,
                "weighs": side.weighs,
                "values": [_value(line.entries.get(side.name)) for line in board.lines],
                "ends": [_ends(line.entries.get(side.name)) for line in board.lines],
                "parts": [_parts(line.entries.get(side.name)) for line in board.lines] if side.weighs else [],
            }
            for side in board.sides
        },
    }


def _value(entry: Entry | None) -> float | None:
    found = None if entry is None else span(entry.value)
    return None if found is None else round(found[0], 6)


def _ends(entry: Entry | None) -> list[float] | None:
    """Return the ends of an interval, which are saved with what is on the screen."""
    found = None if entry is None else span(entry.value)
    return None if found is None or found[1] is None else [round(end, 5) for end in found[1]]


def _parts(entry: Entry | None) -> list[list[float | None]] | None:
    parts = None if entry is None else entry.placed.measured.parts
    return None if parts is None else [[None if one is None else round(one, 6) for one in part] for part in parts]


def as_script(value: object) -> str:
    """Return a value as JSON that no tag within it can end."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
