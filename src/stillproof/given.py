"""What people give to a session: names and paths, tensors, and whatever a session gave them before."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from torch import Tensor

from stillproof.answers import DistilledSet, Score
from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.image_finder import ImportsSets, find_images
from stillproof.importers.import_model import ImportedModel
from stillproof.importers.import_sets import ImportedSet, ImportedSets
from stillproof.suites.requests import Request

# What holds images: to be trained on, compared, shown, or to stand among the methods of a suite.
Given = str | Path | DistilledSet | ImportedSet | ImportedSets | Score | tuple[Tensor, Tensor]
KINDS = (
    "the name, id, folder or file of a set, the name of a data set, (images, labels), or what distill, import_sets, "
    "import_tensors or evaluate returned"
)


class ImportsTensors(ImportsSets, Protocol):
    """What can import tensors, too."""

    def import_tensors(self, images: Tensor, labels: Tensor, dataset: str) -> ImportedSet:
        """Import tensors of your own."""
        ...


def request_for(session: ImportsTensors, given: Given | Request, dataset: str | None = None) -> tuple[Request, Json]:
    """Return the images that are meant, to train on, with the card of a set that was named.

    ``dataset`` is where they are tested, if not on their own.
    """
    if isinstance(given, Request):
        if dataset is not None:
            raise BadInput(f"a request itself says what it is tested on: leave out dataset={dataset!r}.")
        return given, {}
    if isinstance(given, Score):
        dataset = dataset or given.dataset
    return find_images(session, text_of(session, given, dataset), dataset)


def text_of(session: ImportsTensors, given: Any, dataset: str | None = None) -> str:
    """Return the text that means the same: a name or path as it is, or the id of a set; tensors are imported first.

    Raises:
        BadInput: It is nothing that holds images.
    """
    match given:
        case str() | Path():
            return str(given)
        case ImportedSets():
            return _only(given).artifact
        case DistilledSet() | ImportedSet() | ImportedModel():
            return given.artifact
        case Score():
            return given.trained_on
        case (images, labels) if hasattr(images, "shape") and hasattr(labels, "shape"):
            if dataset is None:
                raise BadInput("tensors do not tell which data set they stand for: name it with dataset=NAME.")
            return session.import_tensors(images, labels, dataset).artifact
        case _:
            raise BadInput(f"a value of type {type(given).__name__} cannot be trained on: give {KINDS}.")


def _only(imported: ImportedSets) -> ImportedSet:
    if len(imported.sets) != 1:
        raise BadInput(f"the file held {len(imported.sets)} sets: give one of them, such as the last, sets[-1].")
    return imported.sets[0]
