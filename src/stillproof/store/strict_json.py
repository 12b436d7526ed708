"""JSON as the store keeps it: strict, so that every reader in every language can read it."""

from __future__ import annotations

import json
from typing import Any

from stillproof.core.errors import BadInput, Corrupt


def to_text(value: object, what: str) -> str:
    """Write ``value`` with its keys in order of insertion; ``what`` names it if that cannot be done."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{what} cannot be stored as JSON: {error} (write null for what is not a number).") from error


def from_text(text: str | None) -> Any:
    """Read what ``to_text`` wrote; None stays None.

    Raises:
        Corrupt: It is something else by now.
    """
    try:
        return None if text is None else json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise Corrupt(
            f"a value in the database of the store is damaged ({type(error).__name__}): restore a copy, or move it "
            "away and run again."
        ) from error
