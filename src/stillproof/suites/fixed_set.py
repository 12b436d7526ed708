"""A distilled set that is there already, among the methods of a suite."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass

from stillproof.core.reference import parse_reference, write_reference
from stillproof.core.validate import validated

ARTIFACT = "artifact"  # the parameter that tells such a set from a distiller: ``my-set:artifact=30622e685448``
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
        unseen: Whether it was made without the held-out images, for sure.
    """

    name: str
    artifact: str
    dataset: str
    ipc: int
    count: int
    recipe: str = ""
    cell: str = ""
    unseen: bool = False

    def reference(self) -> str:
        """Return the set as a method's name with all of this as parameters, which ``fixed_set`` reads back."""
        return write_reference(
            self.name, {key: value for key, value in dataclasses.asdict(self).items() if key != "name"}
        )

    def short(self) -> str:
        """Return the set as a person would write it, to ask for the same set again."""
        return write_reference(self.name, {ARTIFACT: self.artifact[:12]})


@functools.lru_cache(maxsize=1024)
def fixed_set(method: str) -> FixedSet | None:
    """Return the set that a method's name stands for; nothing if that is a distiller."""
    if f"{ARTIFACT}=" not in method:
        return None
    name, params = parse_reference(method)
    if not {"artifact", "dataset", "ipc", "count"} <= params.keys():
        return None
    return validated(FixedSet, {"name": name, **params}, f"set {name!r}")
