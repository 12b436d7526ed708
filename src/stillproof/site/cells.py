"""Every cell behind the pages: what it asked, what it answered, and on what it was computed."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from stillproof.core.spec import Json
from stillproof.store.records import Record

DIGITS = 2  # of an id, that say in which file its cell is
MOST = 30  # values of a list that are shown; the rest is counted


def cell_page(cell: str) -> str:
    """Return the address of a cell."""
    return f"cell.html#{cell}"


def cell_files(records: Mapping[str, Record]) -> Iterator[tuple[str, str]]:
    """Yield the files that the cell page reads, by the first digits of ids; machines stand once in each.

    They are packed, since specs repeat each other: most of a site would be cells.
    """
    shards: dict[str, list[Record]] = {}
    for record in records.values():
        shards.setdefault(record.id[:DIGITS], []).append(record)
    for shard, found in sorted(shards.items()):
        machines: list[Json | None] = []
        told = {record.id: _told(record, machines) for record in found}
        content = json.dumps({"machines": machines, "cells": told}, separators=(",", ":"), allow_nan=False)
        packed = base64.b64encode(zlib.compress(content.encode(), 9)).decode()
        yield f"cells-{shard}.js", f'(window.stillproofCells ??= {{}})["{shard}"] = "{packed}";\n'


def _told(record: Record, machines: list[Json | None]) -> Json:
    if record.provenance not in machines:
        machines.append(record.provenance)
    return {
        "stage": record.stage,
        "status": record.status,
        "spec": record.spec,
        "result": _short(record.result),
        "error": record.error,
        "seconds": None if record.seconds is None else round(record.seconds, 3),
        "needs": list(record.needs),
        "machine": machines.index(record.provenance),
    }


def _short(value: Any) -> Any:
    """Return an answer with long lists cut, and floats as short as they can be told apart."""
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [*map(_short, value[:MOST]), *([f"and {len(value) - MOST} more"] if len(value) > MOST else [])]
    return float(f"{value:.6g}") if isinstance(value, float) else value
