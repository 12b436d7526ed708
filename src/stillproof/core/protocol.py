"""Whether things are done correctly, or just as a benchmark that came before did them: then it names its origin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from stillproof.core.errors import UnknownName

FAIR = "fair"
FAITHFUL = "faithful"


class Protocol:
    """One way to do things: base of what says how attacks are made, and of how each suite asks.

    Those bases are the correct ways. A subclass of one keeps the ways of an origin, and says only what is different
    there.
    """

    origin: ClassVar[str] = ""  # whose ways are kept, as in ``faithful:beard``; nothing where they are correct
    plain: ClassVar[bool] = False  # whether the plain word ``faithful`` means this origin, where it is asked for

    @property
    def name(self) -> str:
        """Return its name in full."""
        return f"{FAITHFUL}:{self.origin}" if self.origin else FAIR

    @property
    def written(self) -> str:
        """Return how specs and rows write it: with the plain word where that is enough."""
        return FAITHFUL if self.plain else self.name


P = TypeVar("P", bound=Protocol)


def protocol_meant(name: str, known: Sequence[P]) -> P:
    """Return the protocol of a name, in full or as it is written.

    Raises:
        UnknownName: There is none.
    """
    for one in known:
        if name in (one.name, one.written):
            return one
    raise UnknownName("protocol", name, {text for one in known for text in (one.name, one.written)})
