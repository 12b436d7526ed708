"""Imports third-party sets and models, and tensors of your own."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput
from stillproof.core.model_card import check_model_card
from stillproof.core.types import DataInfo, Hard
from stillproof.data.load import source
from stillproof.importers.beard_log import read_logs
from stillproof.importers.checkpoints import read_model
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.import_logs import ImportedLog, write_logs
from stillproof.importers.import_model import ImportedModel, write_model
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import (
    CheckedSets,
    ImportedSet,
    ImportedSets,
    read_sets,
    read_tensors,
    write_sets,
)
from stillproof.importers.tensor_set import TensorSpace
from stillproof.sets.teachers import check_teacher, taught_by
from stillproof.store.artifact_files import Artifact
from stillproof.store.store import Store
from stillproof.suites.requests import Request
from stillproof.verbs.engine import Engine

if TYPE_CHECKING:
    from torch import Tensor


class Importing(Engine):
    """Imports what was made elsewhere."""

    def import_sets(self, path: Path | str, dataset: str, options: ImportOptions | None = None) -> ImportedSets:
        """Import third-party distilled sets; return them with what was found out about the file.

        Nothing is written unless all of them can be trained on. Sets in ZCA space refer to the whitening of the real
        training images, which is computed here.
        """
        info = source(dataset).info
        options = options or ImportOptions()
        read = read_sets(Path(path), info, dataset, options)
        if options.teachers:
            read = _with_teachers(read, options.teachers, self.store, info)
        made = write_sets(self.store, read, info, dataset, lambda variant: self._whitening(dataset, variant))
        return ImportedSets(made, read.found)

    def import_tensors(
        self, images: Tensor, labels: Tensor, dataset: str, space: TensorSpace = "pixels"
    ) -> ImportedSet:
        """Import tensors of your own; ``stillproof.evaluate`` says which ones."""
        info = source(dataset).info
        read = read_tensors(images, labels, info, dataset, space)
        (made,) = write_sets(self.store, read, info, dataset, lambda variant: self._whitening(dataset, variant))
        return made

    def import_model(self, path: Path | str, dataset: str, network: str = "") -> ImportedModel:
        """Import a third-party checkpoint; ``network`` is needed where it cannot be told from the weights."""
        model = read_model(Path(path), source(dataset).info, network)
        return write_model(self.store, model, Path(path).stem)

    def import_logs(self, path: Path | str) -> list[ImportedLog]:
        """Import BEARD's result logs: a file, or a folder with one for each number of images per class."""
        return write_logs(self.store, read_logs(Path(path)))

    def _whitening(self, dataset: str, variant: str) -> str:
        return str(self.answer(Request("zca", dataset=dataset, variant=variant))["artifact"])


def _with_teachers(read: CheckedSets, names: Sequence[str], store: Store, info: DataInfo) -> CheckedSets:
    """Return the sets with labels that the named models give, anew in every epoch."""
    stored = [store.artifacts.read(store.resolve_artifact(name, "model")) for name in names]
    for teacher in stored:
        check_model_card(teacher.card)
        check_teacher(teacher.card, info)
    sets = [(_taught(foreign, stored, store), origin) for foreign, origin in read.sets]
    asked = " and ".join(f"model {teacher.id[:12]}" for teacher in stored)
    return CheckedSets(sets, [*read.found, f"labels are what {asked} will say of each batch, as asked for"])


def _taught(foreign: ForeignSet, stored: Sequence[Artifact], store: Store) -> ForeignSet:
    if not isinstance(foreign.labels, Hard):
        raise BadInput("this set has soft labels of its own, which a teacher would replace: leave --teacher out.")
    return dataclasses.replace(foreign, labels=taught_by(foreign.labels.values, stored, store))
