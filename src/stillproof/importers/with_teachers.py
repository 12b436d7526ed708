"""Gives a set that was read the labels that models of the store give."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, Hard
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.import_sets import CheckedSets
from stillproof.sets.teachers import check_teacher, taught_by
from stillproof.store.artifact_files import Artifact
from stillproof.store.store import Store


def with_teachers(read: CheckedSets, names: Sequence[str], store: Store, info: DataInfo) -> CheckedSets:
    """Return the sets with labels that the named models give, anew in every epoch."""
    stored = [store.artifacts.read(store.resolve_artifact(name, "model")) for name in names]
    for teacher in stored:
        check_teacher(teacher.card, info)
    sets = [(_taught(foreign, stored, store), origin) for foreign, origin in read.sets]
    asked = " and ".join(f"model {teacher.id[:12]}" for teacher in stored)
    return CheckedSets(sets, [*read.found, f"labels are what {asked} will say of each batch, as asked for"])


def _taught(foreign: ForeignSet, stored: Sequence[Artifact], store: Store) -> ForeignSet:
    if not isinstance(foreign.labels, Hard):
        raise BadInput("this set has soft labels of its own, which a teacher would replace: leave --teacher out.")
    return dataclasses.replace(foreign, labels=taught_by(foreign.labels.values, stored, store))
