"""What the name of somebody's method says of its sets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

NAMES = ("DC", "DSA", "DM", "DataDAM", "IDM", "BACON", "IDC", "DREAM", "MTT", "TESLA", "FTD", "DATM", "EDF")
KNOWN = {name.lower(): name for name in NAMES} | {"tm": "MTT"}
PACKED = frozenset({"IDM", "BACON", "IDC", "DREAM"})
WITHOUT_AUGMENTATION = frozenset({"DC"})  # the default recipe; the others train with DSA


def method_in(path: Path, default: str) -> str:
    """Return the method that a file's name or its folder's speaks of, or the format's own."""
    words = re.split(r"[^a-z0-9]+", f"{path.name}/{path.parent.name}".lower())
    return next((KNOWN[word] for word in words if word in KNOWN), default)


def decode_of(method: str) -> Literal["none", "grid2x2"]:
    """Say whether each image of this method holds four."""
    return "grid2x2" if method in PACKED else "none"


def recipe_of(method: str) -> str:
    """Return the name of the recipe that the method's authors train with; nothing for the default."""
    return "dc-bench-dsa" if method in NAMES and method not in WITHOUT_AUGMENTATION else ""
