"""The weights in a checkpoint, whatever they are wrapped in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from stillproof.core.errors import BadInput

WRAPPERS = ("state_dict", "model_state_dict", "model", "net")
# What DataParallel and torch.compile put in front of the names inside them.
PREFIX = re.compile(r"(^|(?<=\.))(?:module\.|_orig_mod\.)+")
COUNTER = "num_batches_tracked"  # of batch norm: how often it was trained, which no answer depends on


def find_weights(content: Any) -> dict[str, Tensor]:
    """Return the tensors of a model by name, without prefixes and counters; nothing if they are not a model's."""
    while isinstance(content, Mapping):
        inner = next((content[key] for key in WRAPPERS if isinstance(content.get(key), Mapping)), None)
        if inner is None:
            break
        content = inner
    if not isinstance(content, Mapping) or not content:
        return {}
    if not all(isinstance(name, str) and isinstance(value, Tensor) for name, value in content.items()):
        return {}
    named = {PREFIX.sub("", name): value for name, value in content.items() if not name.endswith(COUNTER)}
    return named if any(name.endswith("weight") for name in named) else {}


def check_weights(weights: Mapping[str, Tensor], path: Path) -> None:
    """Refuse tensors that are not finite floats."""
    for name, value in weights.items():
        if not value.is_floating_point() or not bool(value.isfinite().all()):
            raise BadInput(f"{path}: {name} does not hold finite numbers.")
