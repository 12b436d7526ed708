"""Frees a cell by hand, from whichever process holds it."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.store.owner import described, life_of
from stillproof.store.results import SHORTEST_PREFIX
from stillproof.store.store import Store


@dataclass(frozen=True, slots=True)
class Released:
    """A cell that was freed, and the name of whoever held it."""

    cell: str
    owner: str

    def sentence(self) -> str:
        """Return what was done, and what comes of it."""
        stops = "; that process leaves it as soon as it notices" if life_of(self.owner) != "dead" else ""
        return f"cell {self.cell[:12]} is free, which {described(self.owner)} held: the next worker takes it{stops}."

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return {"cell": self.cell, "by": described(self.owner)}


def release(store: Store, text: str) -> Released:
    """Free the cell that ``text``, its id or the beginning of it, means.

    Raises:
        BadInput: There is no such cell, there are several, or nobody holds it.
    """
    found = store.results.find(text)
    if not found:
        raise BadInput(
            f"no cell of this store begins with {text!r}: `stillproof status` names those that are held, of whose ids "
            f"the first {SHORTEST_PREFIX} letters or more are enough."
        )
    if len(found) > 1:
        raise BadInput(f"several cells begin with {text!r}: {', '.join(cell[:12] for cell in found[:5])}; name one.")
    owner = store.claims.free(found[0])
    if owner is None:
        raise BadInput(f"nobody holds cell {found[0][:12]}, so there is nothing to release.")
    return Released(found[0], owner)
