"""An existing distilled set, among the methods of a suite."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass

from stillproof.core.reference import parse_reference, write_reference
from stillproof.core.validate import validated

ARTIFACT = "artifact"  # the parameter that tells such a set from a distiller: ``my-set:artifact=30622e685448``
RECORDED = "per-epoch"  # labels of every epoch, as a card calls them
EXACT, NEAR = "+test-images", "+near-test-images"  # what is added to the name of a set, wherever it is shown
HELDOUT_SEEN = "the distilled set may have been made from held-out images, so a choice by those may be biased"


@dataclass(frozen=True, slots=True)
class FixedSet:
    """All that a suite needs to know of a set, since suites do not read the store.

    Args:
        name: What people call it.
        artifact: Its content id.
        dataset: The data set of the run that it stands for.
        ipc: Images per class.
        count: How many images a training sees.
        recipe: How its author trains on it; empty if that is not known.
        cell: The cell that made it, if it was made here.
        unseen: Whether it was made without the held-out images, for sure: here, since cards of others may say anything.
        space: The space of its images, as ``space_text`` writes it; empty for the usual one of the data set.
        labels: What its labels are, in the word of its card; empty if that is not known.
        teacher: The model that gave them and can be asked about other images, if a person named one: its content id.
        test_images: How many of its images are test images, byte by byte, and no training images.
        near_test_images: How many are nearly test images, if none is one.
    """

    name: str
    artifact: str
    dataset: str
    ipc: int
    count: int
    recipe: str = ""
    cell: str = ""
    unseen: bool = False
    space: str = ""
    labels: str = ""
    teacher: str = ""
    test_images: int = 0
    near_test_images: int = 0

    @property
    def is_recorded(self) -> bool:
        """Say whether its labels were recorded epoch by epoch, with crops and mixes of their own."""
        return self.labels == RECORDED

    @property
    def is_soft(self) -> bool:
        """Say whether its labels are known to be more than classes."""
        return self.labels not in ("", "hard")

    @property
    def leak(self) -> str:
        """Say how many of its images are test images; nothing if none is."""
        return leak_caveat(self.test_images, self.near_test_images, self.count)

    def reference(self) -> str:
        """Return the set as a method's name with all of this as parameters, which ``fixed_set`` reads back."""
        return write_reference(
            self.name, {key: value for key, value in dataclasses.asdict(self).items() if key != "name"}
        )

    def short(self) -> str:
        """Return the set as a person would write it, to ask for the same set again."""
        teacher = {"teacher": self.teacher[:12]} if self.teacher else {}
        return write_reference(self.name, {ARTIFACT: self.artifact[:12], **teacher})


def leak_caveat(exact: int, near: int, total: int) -> str:
    """Return what to keep in mind of a set that has test images among its own, or near copies of them."""
    if exact:
        return f"{exact} of its {total} images are test images, so that its accuracy says nothing"
    return f"{near} of its {total} images are near copies of test images: see `stillproof audit`" if near else ""


@functools.lru_cache(maxsize=1024)
def fixed_set(method: str) -> FixedSet | None:
    """Return the set that a method's name stands for; nothing if that is a distiller."""
    if f"{ARTIFACT}=" not in method:
        return None
    name, params = parse_reference(method)
    if not {"artifact", "dataset", "ipc", "count"} <= params.keys():
        return None
    return validated(FixedSet, {"name": name, **params}, f"set {name!r}")
