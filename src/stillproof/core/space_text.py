"""A space as a text, for those who know a set only by its name: suites read no store."""

from __future__ import annotations

from stillproof.core.reference import parse_reference, write_nested
from stillproof.core.types import Space
from stillproof.core.validate import validated


def space_text(space: Space) -> str:
    """Write a space, as in ``zca(ref=30622e685448)``; ``space_called`` reads it back."""
    known = {"mean": space.mean, "std": space.std, "ref": space.ref}
    return write_nested(space.kind, {key: value for key, value in known.items() if value})


def space_called(text: str) -> Space:
    """Return the space that a text stands for."""
    kind, params = parse_reference(text)
    return validated(Space, {"kind": kind, **params}, f"space {text!r}")
