"""Turns what an importer found into a distilled set."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stillproof.core.components import recipes
from stillproof.core.provenance import provenance
from stillproof.core.spec import Json
from stillproof.core.types import Card, DataInfo, Distilled, Space
from stillproof.core.weight import weight_of
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.known_methods import recipe_on
from stillproof.sets.artifact import ORIGIN
from stillproof.sets.reported import REPORTED

UNKNOWN_DATA = "unknown: imported"  # so that held-out images may have been seen


@dataclass(frozen=True)
class Origin:
    """Where a set was read from; tensors that were handed over have no path."""

    form: str
    path: Path | None = None
    experiment: int = 0
    experiments: int = 1

    @property
    def name(self) -> str:
        """Return the file's name."""
        return self.path.name if self.path else ""

    def as_dict(self, foreign: ForeignSet) -> Json:
        """Return what the card keeps of it, beside what names the set: the same tensors are the same set."""
        if self.path is None:
            return {"format": self.form}
        files = list(foreign.files) or _files_of(self.path)
        found: Json = {"format": self.form, "file": files[0].name, "sha256": _hash(files)}
        if self.experiments > 1:
            found["experiment"] = self.experiment
        return found | ({REPORTED: [one.as_dict() for one in foreign.reported]} if foreign.reported else {})


def to_distilled(foreign: ForeignSet, info: DataInfo, dataset: str, origin: Origin, whitening: str) -> Distilled:
    """Return the set; ``whitening`` is the artifact that a set in ZCA space refers to.

    It must have been ``checked``.
    """
    images = foreign.images.float().contiguous()
    card = Card(
        method=foreign.method,
        version=0,
        params={},
        dataset=dataset,
        data_id=UNKNOWN_DATA,
        ipc=math.ceil(len(images) / info.num_classes),  # the mean, where classes are uneven or labels soft
        seed=0,
        network="unknown",
        licence=info.licence,
        bytes=weight_of(images, foreign.labels).total,
        provenance=provenance() | {ORIGIN: origin.as_dict(foreign)},
    )
    reference = recipe_on(foreign.recipe, foreign.method, info.name, origin.name)
    spec = recipes.spec(recipes.build(reference, foreign.recipe_params)) if reference else None
    space = _space(foreign, info, whitening)
    return Distilled(images, foreign.labels, info.num_classes, space, card, foreign.decode, spec)


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
