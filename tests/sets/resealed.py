"""Cards that somebody edited and sealed again: every key of a card with every value that it should not have."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stillproof.core.spec import digest
from stillproof.store.folder_files import CARD

ABSENT = object()  # in place of a value: the key is not there


def deep(levels: int) -> Any:
    """A list in a list in a list."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


HOSTILE: tuple[Any, ...] = (
    ABSENT,
    None,
    True,
    0,
    1,
    -1,
    7,
    10**9,
    2**40,
    10**40,
    0.5,
    1e308,
    -0.0,
    "",
    "x",
    "1",
    "10**9",
    "\x1b[2J\x1b[1;1Hgone",
    "two\nlines",
    "\ud800",
    "a" * 100_000,
    "../../etc",
    "a:b=c(d",
    [],
    [1],
    ["x"],
    [[[1]]],
    deep(60),
    {},
    {"a": {"b": [1]}},
    {"name": "convnet-1", "params": {"width": 10**9}},
    {"name": "convnet-1", "params": {"depth": "99999999"}},
    {"kind": "normalised", "mean": [0.1], "std": [0.0], "ref": ""},
    {"kind": "zca", "mean": [], "std": [], "ref": "ab" * 32},
    {"kind": "pixels", "more": 1},
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value that holds another."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*at, key)
        yield from paths(one, (*at, key))


def mutated(card: Any) -> Iterator[tuple[str, Any]]:
    """Every card with one value exchanged, and what was."""
    for place in paths(card):
        for value in HOSTILE:
            changed = copy.deepcopy(card)
            holder = changed
            for key in place[:-1]:
                holder = holder[key]
            if value is ABSENT:
                del holder[place[-1]]
            else:
                holder[place[-1]] = value
            yield f"{'.'.join(map(str, place))} = {str(value)[:40]!r}", changed


def reseal(folder: Path, card: Any) -> None:
    """Write a card into an artifact folder as anybody can who has the library: with an id and a seal that hold."""
    content = json.loads((folder / CARD).read_text())
    content["card"] = card
    content["volatile"] = [key for key in content["volatile"] if key in card]
    named = {key: value for key, value in card.items() if key not in content["volatile"]}
    content["id"] = digest({"kind": content["kind"], "tensors_sha256": content["tensors_sha256"], "card": named})
    content["seal"] = digest({key: value for key, value in content.items() if key != "seal"})
    (folder / CARD).write_text(json.dumps(content))
