"""Finds the distilled sets that a picture should show, with a title for each."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from stillproof.core.errors import BadInput, Corrupt
from stillproof.store.store import Store

PREVIEW = "preview.png"


def named_set(store: Store, text: str) -> tuple[str, Path]:
    """Return the title and the preview of an artifact, given by id, prefix, name or folder."""
    folder = Path(text)
    if not (folder / "card.json").is_file():
        folder = store.artifacts.folder(store.resolve_artifact(text, "distilled"))
    return _title(folder), folder / PREVIEW


def sets_of_run(store: Store, suite: str, ipc: Collection[int] | None) -> list[tuple[str, Path]]:
    """Return title and preview of every distilled set behind the first seed of a suite's newest run."""
    run = store.results.last_run(suite)
    if run is None:
        raise BadInput(f"suite {suite!r} was never run on this store: `stillproof run {suite}` does.")
    chosen = [row["cells"][0] for row in run.rows if row["ipc"] is not None and (not ipc or row["ipc"] in ipc)]
    trained = [record.spec["train"] for record in store.results.get_many(chosen).values()]
    upstream = [record.spec["upstream"].get("cell") for record in store.results.get_many(trained).values()]
    made = store.results.get_many([cell for cell in dict.fromkeys(upstream) if cell])
    results = sorted((r.result for r in made.values() if r.result), key=lambda result: str(result["name"]))
    return [named_set(store, result["artifact"]) for result in results]


def _title(folder: Path) -> str:
    try:
        card = json.loads((folder / "card.json").read_text(encoding="utf-8"))["card"]
        return f"{card['method']}, {card['dataset']}, {card['ipc']} per class"
    except (OSError, ValueError, KeyError) as error:
        raise Corrupt(f"{folder / 'card.json'} cannot be read: {error!r}.") from error
