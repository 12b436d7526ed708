"""An existing attacked set, in place of one that a suite would make."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass

from stillproof.core.errors import BadInput
from stillproof.core.reference import parse_reference, write_reference
from stillproof.core.validate import validated

NAME = "attacked"


@dataclass(frozen=True, slots=True)
class FixedAttack:
    """All that a suite needs to know of it, since suites do not read the store.

    Args:
        called: The attack, such as ``mad/13``.
        artifact: Its content id.
        dataset: The data set of its sources.
        part: Which split of it.
        model: The network that it was made on, by its content id; empty if nobody knows.
        network: What that network is called.
    """

    called: str
    artifact: str
    dataset: str
    part: str
    model: str = ""
    network: str = ""

    def reference(self) -> str:
        """Return it as one text, which ``fixed_attack`` reads back."""
        return write_reference(NAME, dataclasses.asdict(self))


@functools.lru_cache(maxsize=1024)
def fixed_attack(text: str) -> FixedAttack:
    """Return the attacked set that a text stands for, as ``FixedAttack.reference`` writes it."""
    name, params = parse_reference(text)
    if name != NAME:
        raise BadInput(f"attacked set {text!r} is not known here: name one of the store when the suite is run.")
    return validated(FixedAttack, params, f"attacked set {text!r}")
