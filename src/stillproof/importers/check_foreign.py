"""Checks what an importer found, and brings it into the one form that distilled sets have."""

from __future__ import annotations

import dataclasses

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.read_images import channels_first, eight_bit_pixels, is_eight_bit
from stillproof.importers.read_labels import plain_classes
from stillproof.sets.checks import check_images, check_labels, check_pixels


def checked(foreign: ForeignSet, info: DataInfo, dataset: str) -> tuple[ForeignSet, list[str]]:
    """Return a set in its usual form, with what should be said of it.

    Images have their channels first, 8-bit pixels become floats and one-hot labels classes.

    Raises:
        BadInput: Nobody could train on it.
    """
    images, about = channels_first(foreign.images, info)
    if foreign.space == "pixels" and is_eight_bit(images):
        images, divided = eight_bit_pixels(images, info)
        about += divided
    foreign = dataclasses.replace(foreign, images=images, found=(*foreign.found, *about))
    check_images(foreign.images, foreign.labels, info, dataset)
    check_labels(foreign.labels, info, dataset)
    if foreign.space == "pixels":
        check_pixels(foreign.images)
    _check_space(foreign, info, dataset)
    foreign = dataclasses.replace(foreign, labels=plain_classes(foreign.labels))
    return foreign, _check_balance(foreign, info, dataset)


def _check_space(foreign: ForeignSet, info: DataInfo, dataset: str) -> None:
    if foreign.decode == "grid2x2" and info.size % 2:
        raise BadInput(f"images of {info.size} pixels cannot hold a 2 x 2 grid.")
    for constants in (foreign.mean, foreign.std):
        if constants and len(constants) != info.channels:
            raise BadInput(f"{constants} is not one number for each of the {info.channels} channels of {dataset}.")
    if foreign.std and min(foreign.std) <= 0:
        raise BadInput(f"std {foreign.std} is not allowed: every number must be above 0.")


def _check_balance(foreign: ForeignSet, info: DataInfo, dataset: str) -> list[str]:
    counts = foreign.labels.classes.bincount(minlength=info.num_classes)
    named = int((counts > 0).sum())
    if foreign.labels.values_are_classes and named < info.num_classes:
        raise BadInput(
            f"labels name only {named} of the {info.num_classes} classes of {dataset}: is it for another data set?"
        )
    low, high = int(counts.min()), int(counts.max())
    return [] if low == high else [f"classes are uneven: {low} to {high} images each"]
