"""Reads somebody's distilled sets, checks all of them, and only then puts them into the store."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, Distilled
from stillproof.importers.detect import detect
from stillproof.importers.eight_bit import eight_bit_pixels, is_eight_bit
from stillproof.importers.fkd import with_recorded_labels
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.import_options import ImportOptions, with_options
from stillproof.importers.known_methods import whitening_of
from stillproof.importers.to_distilled import Origin, check_foreign, to_distilled
from stillproof.sets.artifact import card_of, extra_files, tensors_of
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
    """A set that is in the store now."""

    artifact: str
    name: str
    path: Path
    experiment: int
    cached: bool
    recipe: str
    distilled: Distilled


def read_sets(path: Path, info: DataInfo, dataset: str, options: ImportOptions) -> CheckedSets:
    """Read and check all sets of a file; nothing is written."""
    importer, why = detect(path, options.form)
    everything = importer.read(path, info)
    chosen = _chosen(everything, options.experiment, path)
    sets, found = [], [why]
    if len(everything) > 1:
        taken = "all are taken" if len(chosen) > 1 else f"number {chosen[0]} is taken"
        found.append(f"{len(everything)} experiments, of which {taken}")
    for number in chosen:
        foreign = _as_floats(with_options(everything[number], options), info, path)
        if options.labels is not None:
            foreign = with_recorded_labels(foreign, options.labels, info, order_seed=options.labels_seed)
        try:
            notes = check_foreign(foreign, info, dataset)
        except BadInput as error:
            raise BadInput(f"{path}: {error}") from None
        sets.append((foreign, Origin(importer.name, path, number, len(everything))))
        found += [note for note in (*foreign.found, *notes) if note not in found]
    return CheckedSets(sets, found)


def _as_floats(foreign: ForeignSet, info: DataInfo, path: Path) -> ForeignSet:
    """Return a set of pixels as floats, if they are 8-bit."""
    if foreign.space != "pixels" or not is_eight_bit(foreign.images):
        return foreign
    try:
        images, about = eight_bit_pixels(foreign.images, info)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    return dataclasses.replace(foreign, images=images, found=(*foreign.found, *about))


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
    artifact = store.artifacts.id_of("distilled", tensors, card)
    cached = store.artifacts.is_sound(artifact)
    part = f"-e{origin.experiment}" if origin.experiments > 1 else ""
    own = distilled.card
    name = f"{own.method}-{Path(own.dataset).name}-{own.ipc}ipc{part}-{artifact[:6]}"
    files = extra_files(distilled, front_of(distilled.space, store))
    store.keep("distilled", tensors, card, name=name, extra=files)
    path = store.artifacts.folder(artifact)
    return ImportedSet(artifact, name, path, origin.experiment, cached, recipe_reference(distilled.recipe), distilled)


def _chosen(everything: Sequence[ForeignSet], experiment: int | None, path: Path) -> list[int]:
    total = len(everything)
    if experiment is None:
        return list(range(total))
    if not -total <= experiment < total:
        raise BadInput(f"{path} has no experiment {experiment}: it holds {total}, counted from 0.")
    return [experiment % total]
