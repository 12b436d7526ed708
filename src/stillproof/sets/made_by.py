"""Which commands make models of a store, for those who have a set without its teachers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from stillproof.store.artifact_files import Artifact
from stillproof.store.store import Store


def made_by(models: Sequence[Artifact], store: Store) -> str:
    """Return the commands, as a sentence names them."""
    seeds: dict[str, int] = {}
    for model in models:
        command, count = _command(model, store)
        seeds[command] = max(count, seeds.get(command, 0))
    written = [f"`{command} --seeds {count}`" if count else command for command, count in seeds.items()]
    return " and ".join(written)


def _command(model: Artifact, store: Store) -> tuple[str, int]:
    """Return a command without its number of seeds, and that number; 0 where it has none."""
    upstream = model.card["upstream"]
    if "imported" in upstream:
        file, dataset = (shlex.quote(word) for word in (upstream["imported"], model.card["info"]["name"]))
        return f"`stillproof import {file} --dataset {dataset}`", 0
    cell = store.cell_of(model.id)
    record = store.results.get(cell) if cell else None
    if record is None or record.where.get("part") != "train":  # no command trains on a part alone
        return "the command that made the set", 0
    where = record.where
    words = ("train", where["dataset"], "--network", where["network"], "--recipe", where["recipe"])
    chosen = " --selection oracle" if "curve_points" in record.spec["recipe"] else ""  # else only the end is kept
    return f"stillproof {shlex.join(words)}{chosen}", record.spec["seed"] + 1
