"""Specs: everything that decides a number, as plain values whose canonical JSON hash is the cell's name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


def canonical_json(value: object) -> str:
    """Write ``value`` in the one form that is hashed: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=True)


def digest(value: object) -> str:
    """Return the sha256 of the canonical JSON of ``value``, in hexadecimal."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ComponentSpec:
    """A component with all its parameters, as cards keep it: which one, which version, which values."""

    kind: str
    name: str
    version: int
    params: Mapping[str, Any]

    def as_dict(self) -> Json:
        """Return the spec as JSON values; tuples become lists, as they do in JSON."""
        return {
            "kind": self.kind,
            "name": self.name,
            "version": self.version,
            "params": plain(dict(self.params)),
        }


def plain(value: Any) -> Any:
    """Return ``value`` as JSON gives it back: tuples become lists."""
    return json.loads(json.dumps(value))
