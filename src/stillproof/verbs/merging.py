"""Merging of other stores, for a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stillproof.core.spec import Json
from stillproof.verbs.engine import Engine

if TYPE_CHECKING:
    from stillproof.store.merge import Merged


@dataclass(frozen=True, slots=True)
class MergedStore:
    """What came from another store.

    Args:
        found: What came, and what did not.
        uncounted: For want of what answers could not be counted again, and how many those are.
        other: The other store.
        store: This store.
        artifacts: The folder of the artifacts of the other store.
    """

    found: Merged
    uncounted: Mapping[str, int]
    other: str
    store: str
    artifacts: Path

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return self.found.as_dict() | {"uncounted": dict(self.uncounted), "other": self.other, "store": self.store}


class Merging(Engine):
    """Brings the work of other stores."""

    def merge(self, other: Path | str, artifacts: Path | None = None) -> MergedStore:
        """Copy another store's work into this one, as far as it can be right; what is here stays.

        Args:
            other: The other store: a SQLite file or a URL. It is only read.
            artifacts: The folder of its artifacts, by default the one beside its file.
        """
        from stillproof.run.recount.recount import Recount  # slow to load, as all stages are needed
        from stillproof.store.merge import merge
        from stillproof.store.other_store import open_other

        with open_other(str(other), artifacts) as theirs:
            recount = Recount(theirs, self.root)
            found = merge(self.store, theirs, recount)
            return MergedStore(found, recount.uncounted, theirs.shown, self.store.shown, theirs.artifacts.root)
