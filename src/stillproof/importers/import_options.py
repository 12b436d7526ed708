"""What a user says of a file that the file itself may not say."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from stillproof.core.errors import BadInput
from stillproof.importers.fkd import ORDER_SEED
from stillproof.importers.foreign_set import ForeignSet

ImportSpace = Literal["auto", "pixels", "normalised", "zca"]
IMPORT_SPACES: tuple[ImportSpace, ...] = ("auto", "pixels", "normalised", "zca")


@dataclass(frozen=True)
class ImportOptions:
    """How to read a file.

    Args:
        form: Name of its format, or ``auto``.
        space: What its numbers are; ``auto`` lets the importer decide.
        mean: Constants that its images are normalised with, one per channel; the importer decides without them.
        std: Likewise.
        experiment: Which one of several to take, counted from 0, or from the end if negative; all without it.
        labels: Folder with labels that a teacher gave anew in every epoch, for a set of pictures.
        labels_seed: Seed of the order that they were recorded in, where it is not recorded.
    """

    form: str = "auto"
    space: ImportSpace = "auto"
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    experiment: int | None = None
    labels: Path | None = None
    labels_seed: int = ORDER_SEED


def with_options(foreign: ForeignSet, options: ImportOptions) -> ForeignSet:
    """Return a set with what was said of its space and constants."""
    if options.space != "auto":
        told = (f"{options.space} images, as asked for",)
        said = tuple(note for note in foreign.found if not note.startswith("taken for"))
        constants = (foreign.mean, foreign.std) if options.space == foreign.space else ((), ())
        mean, std = constants
        foreign = dataclasses.replace(foreign, space=options.space, mean=mean, std=std, found=said + told)
    if not (options.mean or options.std):
        return foreign
    if foreign.space != "normalised" or not (options.mean and options.std):
        raise BadInput(
            "mean and std go together, and only with images that are normalised: give both, and --space normalised."
        )
    told = (f"normalised with mean {options.mean} and std {options.std}, as asked for",)
    return dataclasses.replace(foreign, mean=options.mean, std=options.std, found=foreign.found + told)
