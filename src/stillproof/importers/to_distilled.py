"""Turns what an importer found into a distilled set, refusing what cannot be one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stillproof.core.components import recipes
from stillproof.core.errors import BadInput
from stillproof.core.provenance import provenance
from stillproof.core.tensor_size import size_in_bytes
from stillproof.core.types import Card, DataInfo, Distilled, Space
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.known_methods import recipe_on
from stillproof.sets.checks import check_images, check_labels, check_pixels

UNKNOWN_DATA = "unknown: imported"  # so that held-out images may have been seen


@dataclass(frozen=True)
class Origin:
    """Where a set was read from, as its card tells it."""

    form: str
    path: Path
    experiment: int
    experiments: int

    def params(self, foreign: ForeignSet) -> dict[str, Any]:
        """Return the card's parameters."""
        files = list(foreign.files) or _files_of(self.path)
        found = {"imported": True, "format": self.form, "file": files[0].name, "sha256": _hash(files)}
        return found | ({"experiment": self.experiment} if self.experiments > 1 else {})


def to_distilled(foreign: ForeignSet, info: DataInfo, dataset: str, origin: Origin, whitening: str) -> Distilled:
    """Return the set; ``whitening`` is the artifact that a set in ZCA space refers to.

    Call ``check_foreign`` first.
    """
    counts = foreign.labels.classes.bincount(minlength=info.num_classes)
    images = foreign.images.float().contiguous()
    card = Card(
        method=foreign.method,
        version=0,
        params=origin.params(foreign),
        dataset=dataset,
        data_id=UNKNOWN_DATA,
        ipc=int(counts.max()),
        seed=0,
        network="unknown",
        licence=info.licence,
        bytes=size_in_bytes([images]) + foreign.labels.bytes,
        provenance=provenance(),
    )
    reference = recipe_on(foreign.recipe, foreign.method, info.name, origin.path.name)
    spec = recipes.spec(recipes.build(reference, foreign.recipe_params)) if reference else None
    space = _space(foreign, info, whitening)
    return Distilled(images, foreign.labels, info.num_classes, space, card, foreign.decode, spec)


def check_foreign(foreign: ForeignSet, info: DataInfo, dataset: str) -> list[str]:
    """Refuse what nobody could train on; return what should be said of the rest."""
    check_images(foreign.images, foreign.labels, info, dataset)
    check_labels(foreign.labels, info, dataset)
    if foreign.space == "pixels":
        check_pixels(foreign.images)
    if foreign.decode == "grid2x2" and info.size % 2:
        raise BadInput(f"images of {info.size} pixels cannot hold a 2 x 2 grid.")
    for constants in (foreign.mean, foreign.std):
        if constants and len(constants) != info.channels:
            raise BadInput(f"{constants} is not one number for each of the {info.channels} channels of {dataset}.")
    if foreign.std and min(foreign.std) <= 0:
        raise BadInput(f"std {foreign.std} is not allowed: every number must be above 0.")
    return _check_balance(foreign, info, dataset)


def _check_balance(foreign: ForeignSet, info: DataInfo, dataset: str) -> list[str]:
    counts = foreign.labels.classes.bincount(minlength=info.num_classes)
    named = int((counts > 0).sum())
    if foreign.labels.values_are_classes and named < info.num_classes:
        raise BadInput(
            f"labels name only {named} of the {info.num_classes} classes of {dataset}: is it of another data set?"
        )
    low, high = int(counts.min()), int(counts.max())
    return [] if low == high else [f"classes are uneven: {low} to {high} images each"]


def _space(foreign: ForeignSet, info: DataInfo, whitening: str) -> Space:
    if foreign.space == "normalised":
        return Space("normalised", foreign.mean or info.mean, foreign.std or info.std)
    return Space("zca", ref=whitening) if foreign.space == "zca" else Space("pixels")


def _files_of(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(found for found in path.rglob("*") if found.is_file())


def _hash(files: Sequence[Path]) -> str:
    """Return the sha256 of a file; of several, that of their hashes one after the other."""
    single = []
    for path in files:
        with path.open("rb") as file:
            single.append(hashlib.file_digest(file, "sha256").hexdigest())
    return single[0] if len(single) == 1 else hashlib.sha256("".join(single).encode()).hexdigest()
