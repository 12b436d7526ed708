"""Sets of the zoo, for a session."""

from __future__ import annotations

from pathlib import Path

from stillproof.core.tensor_size import size_in_bytes
from stillproof.image_finder import export_set
from stillproof.sets.artifact import extra_files, from_artifact
from stillproof.sets.fronts import front_of
from stillproof.store.zoo import ZooSet, zoo_files, zoo_set, zoo_sets
from stillproof.verbs.engine import Engine


class Zoo(Engine):
    """Lists the distilled sets that come with Stillproof, and copies them into the store."""

    def zoo(self) -> list[ZooSet]:
        """Return what is in the zoo; ``zoo_get`` takes one."""
        return zoo_sets()

    def zoo_get(self, name: str, out: Path | str | None = None) -> str:
        """Copy a set from the zoo into the store under its name, and to the folder ``out``; return its id."""
        found, files = zoo_files(zoo_set(name))
        distilled = from_artifact(found.tensors, found.card)
        extra = extra_files(distilled, front_of(distilled.space, self.store))
        self.store.artifacts.place(found.id, {**files, **extra})
        self.store.register_artifact(found.id, found.kind, name, None, size_in_bytes(found.tensors.values()))
        if out is not None:
            export_set(self.store, found.id, Path(out))
        return found.id
