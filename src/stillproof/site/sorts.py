"""What sort of method a line is of, as its code and its set tell, so that a page can be narrowed to one sort."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping

from stillproof.core.components import distillers
from stillproof.core.errors import BadInput
from stillproof.core.index import Entry
from stillproof.core.reference import parse_reference
from stillproof.core.source import code_of

CHOOSING = "stillproof.distill.choosing"  # what methods build on that keep real images as they are
REAL, MADE, EXISTING, UNKNOWN = "real images", "synthetic images", "existing set", "not known here"


def distiller_of(method: str) -> Entry | None:
    """Return the distiller that a method names; nothing of a set, or of one that is not installed here."""
    try:
        return distillers.find(parse_reference(method)[0])
    except BadInput:  # results from elsewhere may call a method whatever they like
        return None


@functools.cache
def kind_of(method: str, is_set: bool) -> str:
    """Return whether a method keeps real images or makes some, which its code says, or is a set that was there."""
    if is_set:
        return EXISTING
    entry = distiller_of(method)
    if entry is None:
        return UNKNOWN
    code = code_of(entry.module)
    chooses = code is not None and any(f"{name}.".startswith(f"{CHOOSING}.") for name in code.imports)
    return REAL if chooses else MADE


def version_of(method: str, state: Mapping[str, str]) -> str:
    """Return the version of the code that made its numbers, and the generation of what rose below it."""
    entry = distiller_of(method)
    if entry is None or f"distillers/{entry.family}" not in state:
        return ""
    code = json.loads(state[f"distillers/{entry.family}"])
    generation = max(code.get("generations", {}).values(), default=1)
    own = ", own code" if {"edited", "own"} & code.keys() else ""
    return f"version {code['version']}{f', generation {generation}' if generation > 1 else ''}{own}"
