"""Files that let a killed loop go on: written whole or not at all, read without trusting them."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stillproof.core.errors import StoreError

log = logging.getLogger("stillproof")


def save_loop(path: Path, step: int, parts: Mapping[str, Any], kept: Mapping[str, list[Any]]) -> None:
    """Save the state of every part of a loop, the lists kept beside it, and how far it is."""
    state = {key: part.state_dict() if hasattr(part, "state_dict") else part.detach() for key, part in parts.items()}
    save(path, {"step": step, "parts": state, "kept": dict(kept)})


def restore_loop(path: Path, parts: Mapping[str, Any], kept: Mapping[str, list[Any]]) -> int:
    """Put every part and list back as it was saved and return how far the loop was; 0 if nothing usable was saved."""
    saved = load(path)
    if saved is None:
        return 0
    if saved["parts"].keys() != parts.keys() or saved["kept"].keys() != kept.keys():
        log.warning("the checkpoint %s is of a loop with other parts; starting anew.", path)
        return 0
    for key, part in parts.items():
        if hasattr(part, "load_state_dict"):
            part.load_state_dict(saved["parts"][key])
        else:
            part.detach().copy_(saved["parts"][key])
    for key, values in kept.items():
        values[:] = saved["kept"][key]
    return int(saved["step"])


def save(path: Path, value: object) -> None:
    """Write a value of tensors and plain values."""
    import torch

    buffer = io.BytesIO()
    torch.save(value, buffer)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(buffer.getbuffer())
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise StoreError(f"the checkpoint {path} cannot be written: {error.strerror or error}.") from error


def load(path: Path) -> Any:
    """Read a value back, on the CPU; None if there is none, or if it is damaged."""
    import torch

    if not path.exists():
        return None
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
        log.warning("the checkpoint %s cannot be read (%s); starting anew.", path, type(error).__name__)
        return None
