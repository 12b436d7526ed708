"""What a user says of a file that the file itself may not say."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from stillproof.core.errors import BadInput
from stillproof.importers.fkd import ORDER_SEED
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.known_methods import KNOWN, decode_of, recipe_of

ImportSpace = Literal["auto", "pixels", "normalised", "zca"]
NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._+-]*[A-Za-z0-9+])?")
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
        labels: File with the labels of a file of images, of any name; or, for a set of pictures, folder with labels
            that a teacher gave anew in every epoch.
        labels_seed: Seed of the order that the latter were recorded in, where it is not recorded.
        method: Whose method made it; without one, what names say, or the user's own.
        teachers: Models of the store whose answers are its labels, anew in every epoch: names, ids or prefixes.
        decode: Whether each image holds four; ``auto`` lets its format and the names tell.
    """

    form: str = "auto"
    space: ImportSpace = "auto"
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    experiment: int | None = None
    labels: Path | None = None
    labels_seed: int = ORDER_SEED
    method: str = ""
    teachers: tuple[str, ...] = ()
    decode: Literal["auto", "none", "grid2x2"] = "auto"

    def __post_init__(self) -> None:
        """Refuse a method that could not be part of a name."""
        if self.method and not NAME.fullmatch(self.method):
            raise BadInput(
                f"method {self.method!r} is not a name: letters, digits, and . _ + - between them, make one."
            )


def with_options(foreign: ForeignSet, options: ImportOptions) -> ForeignSet:
    """Return a set with what was said of its method, space and constants."""
    if options.method:
        foreign = _of_method(foreign, KNOWN.get(options.method.lower(), options.method))
    if options.decode != "auto" and options.decode != foreign.decode:
        asked = f"each image holds {'four' if options.decode == 'grid2x2' else 'one'}, as asked for"
        kept = tuple(one for one in foreign.found if not one.startswith("each image"))
        foreign = dataclasses.replace(foreign, decode=options.decode, found=(*kept, asked))
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


def _of_method(foreign: ForeignSet, method: str) -> ForeignSet:
    """Return a set as if its name said whose it is; what its form says already stays."""
    packed = decode_of(method) != "none" and foreign.decode == "none"
    said = tuple(note for note in foreign.found if "method" not in note.partition(",")[0])
    told = [f"method {method}, as asked for", *(["each image holds four, decoded as a 2 x 2 grid"] if packed else [])]
    return dataclasses.replace(
        foreign,
        method=method,
        decode=decode_of(method) if packed else foreign.decode,
        recipe=foreign.recipe or recipe_of(method),
        found=(*said, *told),
    )
