"""Reads third-party distilled sets, checks all of them, and only then puts them into the store."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from torch import Tensor

from stillproof.core.data_title import data_title
from stillproof.core.errors import BadInput
from stillproof.core.types import Card, DataInfo, Distilled
from stillproof.importers.check_foreign import checked
from stillproof.importers.detect import detect
from stillproof.importers.file_pair import TWO_FILES, read_two_files
from stillproof.importers.fkd import with_recorded_labels
from stillproof.importers.foreign_set import OWN, ForeignSet
from stillproof.importers.import_options import ImportOptions, with_options
from stillproof.importers.known_methods import whitening_of
from stillproof.importers.tensor_set import TENSORS, TensorSpace, tensor_set
from stillproof.importers.to_distilled import Origin, to_distilled
from stillproof.sets.artifact import IMPORTED_VOLATILE, card_of, extra_files, tensors_of
from stillproof.sets.fronts import front_of
from stillproof.sets.own_recipe import recipe_reference
from stillproof.store.store import Store


@dataclass(frozen=True)
class CheckedSets:
    """The sets of one file that may go into the store, with what was found out about them."""

    sets: list[tuple[ForeignSet, Origin]]
    found: list[str]


@dataclass(frozen=True)
class ImportedSet:
    """A set that is in the store now; ``form`` is the format that it came in."""

    artifact: str
    name: str
    path: Path
    experiment: int
    cached: bool
    recipe: str
    distilled: Distilled = field(repr=False)  # tensors
    form: str


class ImportedSets(NamedTuple):
    """The sets of one file, and what was found out about it."""

    sets: list[ImportedSet]
    found: list[str]


def read_sets(path: Path, info: DataInfo, dataset: str, options: ImportOptions) -> CheckedSets:
    """Read and check all sets of a file; nothing is written."""
    form, everything, why = _read(path, info, options)
    chosen = _chosen(everything, options.experiment, path)
    sets, found = [], [why]
    if len(everything) > 1:
        taken = "all are taken" if len(chosen) > 1 else f"number {chosen[0]} is taken"
        found.append(f"{len(everything)} experiments, of which {taken}")
    for number in chosen:
        foreign = with_options(everything[number], options)
        if options.labels is not None and form != TWO_FILES:
            foreign = with_recorded_labels(foreign, options.labels, info, order_seed=options.labels_seed)
        try:
            foreign, notes = checked(foreign, info, dataset)
        except BadInput as error:
            raise BadInput(f"{path}: {error}") from None
        sets.append((foreign, Origin(form, path, number, len(everything))))
        found += [note for note in (*foreign.found, *notes) if note not in found]
    return CheckedSets(sets, found)


def read_tensors(images: Tensor, labels: Tensor, info: DataInfo, dataset: str, space: TensorSpace) -> CheckedSets:
    """Check a user's own tensors as those of a file are checked."""
    foreign, notes = checked(tensor_set(images, labels, space, info), info, dataset)
    return CheckedSets([(foreign, Origin(TENSORS))], [*foreign.found, *notes])


def _read(path: Path, info: DataInfo, options: ImportOptions) -> tuple[str, list[ForeignSet], str]:
    """Return the format of a file, its sets, and why it is that format."""
    if options.labels is not None and (options.form == TWO_FILES or options.labels.is_file()):
        return TWO_FILES, [read_two_files(path, options.labels, info)], "two files, as asked for"
    importer, why = detect(path, options.form)
    return importer.name, importer.read(path, info), why


def write_sets(
    store: Store, read: CheckedSets, info: DataInfo, dataset: str, whitening: Callable[[str], str]
) -> list[ImportedSet]:
    """Write the sets to the store; ``whitening`` gives the artifact of a variant, if one is needed."""
    needed = {whitening_of(foreign) for foreign, _ in read.sets if foreign.space == "zca"}
    refs = {variant: whitening(variant) for variant in sorted(needed)}
    return [
        _keep(store, to_distilled(foreign, info, dataset, origin, refs.get(whitening_of(foreign), "")), origin)
        for foreign, origin in read.sets
    ]


def _keep(store: Store, distilled: Distilled, origin: Origin) -> ImportedSet:
    tensors, card = tensors_of(distilled), card_of(distilled)
    artifact = store.artifacts.id_of("distilled", tensors, card, IMPORTED_VOLATILE)
    cached = store.artifacts.is_sound(artifact)
    name = _name(store, distilled.card, artifact, origin)
    files = extra_files(distilled, front_of(distilled.space, store))
    store.keep("distilled", tensors, card, name=name, extra=files, volatile=IMPORTED_VOLATILE)
    path, recipe = store.artifacts.folder(artifact), recipe_reference(distilled.recipe, distilled.card.dataset)
    return ImportedSet(artifact, name, path, origin.experiment, cached, recipe, distilled, origin.form)


def _name(store: Store, card: Card, artifact: str, origin: Origin) -> str:
    """Return what the set is called; one that nobody names now keeps the name that it has."""
    known = store.names_of([artifact], "distilled").get(artifact)
    if known and card.method == OWN:
        return known
    part = f"-e{origin.experiment}" if origin.experiments > 1 else ""
    name = f"{card.method}-{data_title(card.dataset)}-{card.ipc}ipc{part}-{artifact[:6]}"
    return re.sub(r"[^\w.+-]+", "-", name)  # it may stand in a list of methods, where : and , have a meaning


def _chosen(everything: Sequence[ForeignSet], experiment: int | None, path: Path) -> list[int]:
    total = len(everything)
    if experiment is None:
        return list(range(total))
    if not -total <= experiment < total:
        raise BadInput(f"{path} has no experiment {experiment}: it holds {total}, counted from 0.")
    return [experiment % total]
