"""The pictures of distilled sets, drawn from their tensors: a picture file in a folder could be of anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PIL import Image

from stillproof.sets.artifact import from_artifact
from stillproof.sets.fronts import front_of
from stillproof.sets.preview import pictures
from stillproof.store.artifact_files import read_folder
from stillproof.store.store import Store


def drawn_from(store: Store) -> Callable[[Path], Mapping[str, Image.Image]]:
    """Return what draws the set in an artifact folder, whose whitening is in the store or beside it."""

    def draw(folder: Path) -> Mapping[str, Image.Image]:
        found = read_folder(folder)
        distilled = from_artifact(found.tensors, found.card)
        return pictures(distilled, front_of(distilled.space, store, folder))

    return draw
