"""Do two stores give the same answer to a question?"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row

from stillproof.store.strict_json import from_text

MEASURED = ("seconds", "peak_bytes", "notes")  # how an answer came about: no two computations agree in it


def same_answer(one: Row[Any], other: Row[Any]) -> bool:
    """Compare what two finished cells answer.

    An answer that stands on artifacts is the same if these are, since they are named by their content.
    """
    if one.status != other.status:
        return False
    artifacts = from_text(one.artifacts), from_text(other.artifacts)
    return artifacts[0] == artifacts[1] if any(artifacts) else _said(one) == _said(other)


def _said(row: Row[Any]) -> dict[str, Any]:
    return {key: value for key, value in (from_text(row.result) or {}).items() if key not in MEASURED}
