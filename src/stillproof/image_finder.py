"""Finds what a person means by a name: a distilled set of the store, an artifact folder, a file, or a data set."""

from __future__ import annotations

import difflib
import logging
from pathlib import Path
from typing import Protocol

from stillproof.core.components import datasets
from stillproof.core.data_title import own_folder
from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.spec import Json, plain
from stillproof.core.types import Taught
from stillproof.data.image_folder import has_classes
from stillproof.data.load import source
from stillproof.distill.grids.grid import CELLS
from stillproof.importers.detect import is_model
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import ImportedSets
from stillproof.sets.artifact import card_of, from_artifact
from stillproof.sets.fronts import BESIDE
from stillproof.sets.read import check_fits, read_set
from stillproof.sets.teachers import stored_teachers
from stillproof.store.artifact_files import read_folder
from stillproof.store.store import Store
from stillproof.suites.requests import Request, real_images, stored_set

TEACHERS = "teachers"  # folder of the teachers in that of an exported set
LAST = ImportOptions(experiment=-1)

log = logging.getLogger("stillproof")


class ImportsSets(Protocol):
    """What has a store and can import files into it: a session."""

    @property
    def store(self) -> Store:
        """Return the store."""
        ...

    @property
    def root(self) -> Path:
        """Return the folder of the data sets."""
        ...

    def import_sets(self, path: Path | str, dataset: str, options: ImportOptions | None = None) -> ImportedSets:
        """Import third-party distilled sets; return them with what was found out about the file."""
        ...


def names_data(text: str) -> bool:
    """Say whether ``text`` names a data set, or a folder of real images: one with train/ in it, or with parameters."""
    folder = own_folder(text)
    with_params = folder != text and Path(folder).expanduser().is_dir()
    return folder.partition(":")[0] in datasets.entries() or with_params or Path(folder, "train").expanduser().is_dir()


def find_images(session: ImportsSets, text: str, dataset: str | None = None) -> tuple[Request, Json]:
    """Find what can be trained on, with its card: real images, if ``text`` names a data set or a folder of them."""
    if names_data(text):
        return real_images(text), {}
    try:
        return find_set(session, text, dataset)
    except UnknownName:
        if dataset is None and difflib.get_close_matches(text, datasets.entries()):
            raise UnknownName("set or data set", text, datasets.entries()) from None
        raise


def find_set(
    session: ImportsSets, text: str, dataset: str | None = None, options: ImportOptions = LAST
) -> tuple[Request, Json]:
    """Find a distilled set, with its card: by id, prefix, name or folder; a third-party file is imported first.

    Of several experiments of a file the last counts, as in DC-Bench, unless ``options`` say another.
    """
    if not is_foreign(text):
        return artifact_request(session.store, text, dataset)
    if dataset is None:
        real = f"; if it holds real pictures of your own, name it as {text}:split=0.2" if has_classes(text) else ""
        raise BadInput(
            f"{text} is not an artifact of Stillproof: say with --dataset which data set it stands for (dataset= in "
            f"Python){real}."
        )
    if is_model(Path(text)):
        raise BadInput(
            f"{text} is a model's checkpoint, and no set to train on: `stillproof attack {text} --dataset {dataset} "
            "--attack none` says how accurate it is."
        )
    made, found = session.import_sets(text, dataset, options)
    for sentence in found:
        log.info("found: %s", sentence)
    request, card = artifact_request(session.store, made[0].artifact, dataset)
    # The same tensors may have come before in a file that said less of them.
    return request, {**card, "provenance": made[0].distilled.card.provenance}


def is_foreign(text: str) -> bool:
    """Say whether ``text`` is a file or folder that only ``import`` could make sense of."""
    path = Path(text)
    named = text.partition(":")[0] in datasets.entries()
    return not named and path.exists() and not (path / "card.json").is_file() and not (path / "train").is_dir()


def artifact_request(store: Store, text: str, dataset: str | None = None) -> tuple[Request, Json]:
    """Find a distilled set by id, prefix, name or folder; return it with its card."""
    folder = Path(text)
    if (folder / "card.json").is_file():
        found = read_folder(folder)
        if found.kind != "distilled":
            raise BadInput(f"{folder} is an artifact of kind {found.kind!r}, not a distilled set: name another.")
        distilled = from_artifact(found.tensors, found.card)
        check_fits(distilled, source(dataset or distilled.card.dataset).info)
        artifact = store.keep_folder(folder)
        for beside in (folder / BESIDE, *sorted(folder.glob(f"{TEACHERS}/*"))):
            if (beside / "card.json").is_file():
                store.keep_folder(beside)
    else:
        artifact = store.resolve_artifact(text, "distilled")
        distilled = read_set(store, artifact)
    images = len(distilled.images) * (CELLS if distilled.decode == "grid2x2" else 1)
    return stored_set(artifact, dataset or distilled.card.dataset, _maker(store, artifact), images), plain(
        card_of(distilled)
    )


def export_set(store: Store, artifact: str, out: Path) -> None:
    """Copy a distilled set to a folder, with the whitening and the teachers that it refers to, if any."""
    found = read_set(store, artifact)
    beside = {BESIDE: found.space.ref} if found.space.kind == "zca" else {}
    if isinstance(found.labels, Taught):
        for number, teacher in enumerate(stored_teachers(found.labels, store)):
            beside[f"{TEACHERS}/{number}"] = teacher.id
    store.artifacts.export(artifact, out)
    for place, needed in beside.items():
        store.artifacts.export(needed, out / place)


def _maker(store: Store, artifact: str) -> str | None:
    """Return the cell whose answer is this artifact; one that has given other bytes since does not count."""
    cell = store.cell_of(artifact)
    record = store.results.get(cell) if cell else None
    same = record is not None and record.result is not None and record.result.get("artifact") == artifact
    return cell if same else None
