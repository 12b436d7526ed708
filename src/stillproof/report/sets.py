"""Finds the distilled sets that a picture should show, with a title for each."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from stillproof.core.errors import BadInput, Corrupt
from stillproof.report.runs import newest_run
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
    run = newest_run(store, suite)
    asked = {row["ipc"] for row in run.rows if row["ipc"] is not None}
    for absent in sorted(set(ipc or ()) - asked):
        known = ", ".join(str(number) for number in sorted(asked)) or "none"
        raise BadInput(f"no set of the newest run of {suite!r} has {absent} images per class; it asked for: {known}.")
    chosen = [row["cells"][0] for row in run.rows if row["ipc"] is not None and (not ipc or row["ipc"] in ipc)]
    trained = [record.spec["train"] for record in store.results.get_many(chosen).values()]
    upstream = [record.spec["upstream"].get("cell") for record in store.results.get_many(trained).values()]
    made = store.results.get_many([cell for cell in dict.fromkeys(upstream) if cell])
    results = sorted((r.result for r in made.values() if r.result), key=lambda result: str(result["name"]))
    if not results:
        raise BadInput(f"the newest run of {suite!r} has no distilled set yet: `stillproof status` says why.")
    return [named_set(store, result["artifact"]) for result in results]


def _title(folder: Path) -> str:
    try:
        content = json.loads((folder / "card.json").read_text(encoding="utf-8"))
        kind, card = content["kind"], content["card"]
        if kind != "distilled":
            raise BadInput(f"{folder} is an artifact of kind {kind!r}, not a distilled set: name another.")
        return f"{card['method']}, {card['dataset']}, {card['ipc']} per class"
    except (OSError, ValueError, KeyError) as error:
        raise Corrupt(f"{folder / 'card.json'} cannot be read: {error!r}.") from error
