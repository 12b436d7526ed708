"""Finds the distilled sets that a picture should show, with a title for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stillproof.core.data_title import data_title
from stillproof.core.errors import BadInput
from stillproof.core.set_card import true_card
from stillproof.report.runs import called
from stillproof.store.artifact_files import read_sealed
from stillproof.store.records import Run
from stillproof.store.store import Store

ORIGIN = "imported"  # where a card says which file a set was read from
PREVIEW, DECODED = "preview.png", "preview_decoded.png"


@dataclass(frozen=True)
class ShownSet:
    """A distilled set; ``card`` is what was known when it was made, with what its tensors say of it."""

    id: str
    folder: Path
    card: Mapping[str, Any]

    def panels(self, title: str) -> list[tuple[str, str]]:
        """Return title and name of its pictures: one, or two where each stored image is decoded to four."""
        if self.card.get("decode", "none") == "none":
            return [(title, PREVIEW)]
        return [(f"{title}, as stored", PREVIEW), (f"{title}, decoded", DECODED)]


def named_set(store: Store, text: str) -> ShownSet:
    """Return the set that is given by id, prefix, name or folder."""
    folder = Path(text)
    if not (folder / "card.json").is_file():
        folder = store.artifacts.folder(store.resolve_artifact(text, "distilled"))
    return _as_called(store, _read(folder))


def _as_called(store: Store, shown: ShownSet) -> ShownSet:
    """Return an imported set with the name that it was last given here; its card has what it was called first."""
    card = shown.card
    name = store.names_of([shown.id], "distilled").get(shown.id) or "" if ORIGIN in card.get("provenance", {}) else ""
    method, found, _ = name.partition(f"-{Path(card['dataset']).name}-{card['ipc']}ipc")
    return dataclasses.replace(shown, card={**card, "method": method}) if found else shown


def sets_of_run(store: Store, run: Run, ipc: Collection[int] | None) -> list[ShownSet]:
    """Return every distilled set behind the first seed of a run."""
    asked = {row["ipc"] for row in run.rows if row.get("ipc") is not None}
    for absent in sorted(set(ipc or ()) - asked):
        known = ", ".join(str(number) for number in sorted(asked)) or "none"
        raise BadInput(f"no set of {called(run)} has {absent} images per class; it asked for: {known}.")
    chosen = [row for row in run.rows if not ipc or row.get("ipc") in ipc]
    # Sets that were there before, which no cell of the run made; they are called as in its tables.
    there = {row["set"]: row["method"] for row in chosen if "set" in row}
    found = dict.fromkeys((*there, *sets_behind(store, [row["cells"][0] for row in chosen if row["cells"]])))
    if not found:
        raise BadInput(f"{called(run)} has no distilled set yet: `stillproof status` says why.")
    sets = [named_set(store, artifact) for artifact in found]
    return [
        dataclasses.replace(one, card={**one.card, "method": there.get(one.id, one.card["method"])}) for one in sets
    ]


def sets_behind(store: Store, cells: Sequence[str]) -> list[str]:
    """Return the distilled sets that cells read, directly or not, in their order; those on the way are left out."""
    named: dict[str, str] = {}
    seen: set[str] = set()
    while cells:
        found = store.results.get_many(cells)
        records = [found[cell] for cell in cells if cell in found]
        seen |= set(cells)
        behind = [artifact for record in records for artifact in record.artifacts]
        sets = store.names_of(behind, "distilled")
        named |= {artifact: sets[artifact] for artifact in behind if artifact in sets}
        further = [need for record in records if not set(record.artifacts) & sets.keys() for need in record.needs]
        cells = [cell for cell in dict.fromkeys(further) if cell not in seen]
    return [artifact for artifact, name in named.items() if "@" not in name]


def snapshots_of(store: Store, shown: ShownSet) -> list[tuple[int, ShownSet]]:
    """Return the sets that were kept on the way to ``shown``, by step.

    Raises:
        BadInput: None were kept, or this store does not know of them.
    """
    kept = [(step, named_set(store, artifact)) for step, artifact in sorted(store.snapshots_of(shown.id).items())]
    # Names can be any in stores of others; what a set was made with is part of its own.
    found = [(step, one) for step, one in kept if one.id != shown.id and _made_with(one) == _made_with(shown)]
    if not found:
        raise BadInput(
            f"no snapshots of {title_of(shown)} ({shown.id[:12]}) are in this store to animate: distil with "
            "`--snapshots every=N`."
        )
    return found


def _made_with(shown: ShownSet) -> list[Any]:
    """Return what all sets on the way to one have in common with it."""
    params = {key: value for key, value in shown.card.get("params", {}).items() if key != "steps"}
    return [params, *(shown.card.get(key) for key in ("method", "dataset", "data_id", "ipc", "network", "seed"))]


def titles_of(sets: Sequence[ShownSet]) -> list[str]:
    """Return a title for each; those that would be alike also name the parameters that differ."""
    plain = [title_of(shown) for shown in sets]
    titles = []
    for shown, title in zip(sets, plain, strict=True):
        alike = [_settings(other) for other, same in zip(sets, plain, strict=True) if same == title]
        own = _settings(shown)
        telling = [key for key in own if any(other.get(key) != own[key] for other in alike)]
        titles.append(", ".join([title, *(f"{key}={own[key]}" for key in telling)]))
    return titles


def title_of(shown: ShownSet) -> str:
    """Return what a set is, in a few words."""
    return f"{shown.card['method']}, {data_title(shown.card['dataset'])}, {shown.card['ipc']} per class"


def _settings(shown: ShownSet) -> dict[str, Any]:
    card = shown.card
    origin = card.get("provenance", {}).get(ORIGIN, {})
    return {**card.get("params", {}), **origin, "network": card.get("network"), "seed": card.get("seed")}


def _read(folder: Path) -> ShownSet:
    content, arrays = read_sealed(folder)
    if content["kind"] != "distilled":
        raise BadInput(f"{folder} is an artifact of kind {content['kind']!r}, not a distilled set: name another.")
    return ShownSet(content["id"], folder, true_card(arrays, content["card"]))
