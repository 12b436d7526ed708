"""Files that let a killed loop go on: written whole or not at all, sealed, and restored exactly or not at all."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from stillproof.core.durable import write_durably
from stillproof.core.errors import Corrupt, StillproofError, StoreError
from stillproof.core.plain_reason import plain_reason
from stillproof.core.sealed_values import content_of, is_by_channels, seal_value, unseal_value

log = logging.getLogger("stillproof")

SUFFIX = ".checkpoint"


def unclaimed() -> None:
    """Let everything be saved: nobody else can have the cell."""


def save_loop(
    path: Path,
    step: int,
    parts: Mapping[str, Any],
    kept: Mapping[str, list[Any]],
    check: Callable[[], None] = unclaimed,
) -> None:
    """Save the state of every part of a loop, the lists kept beside it, and how far it is; ``check`` as in ``save``."""
    states = {key: _state(part) for key, part in parts.items()}
    save(path, {"step": step, "parts": states, "kept": dict(kept)}, check)


def restore_loop(path: Path, parts: Mapping[str, Any], kept: Mapping[str, list[Any]]) -> int:
    """Put every part and list back as it was saved and return how far the loop was.

    Returns 0, with everything as it was before, if nothing was saved, or nothing that can be restored to the last bit.

    Raises:
        StillproofError: A part takes neither the saved state nor its own.
    """
    saved = load(path)
    if saved is None:
        return 0
    states = saved["parts"]
    if states.keys() != parts.keys() or saved["kept"].keys() != kept.keys():
        log.warning("the checkpoint %s is of a loop with other parts; starting afresh.", path)
        return 0
    before = {
        key: unseal_value(b"".join(seal_value(_state(part))), path) for key, part in parts.items()
    }  # a copy of all tensors
    for key, part in parts.items():
        trouble = _put_back(part, states[key])
        if trouble:
            _undo(path, parts, before)
            log.warning("the checkpoint %s does not fit %s (%s); starting afresh.", path, key, trouble)
            return 0
    for key, values in kept.items():
        values[:] = saved["kept"][key]
    return int(saved["step"])


def save(path: Path, value: object, check: Callable[[], None] = unclaimed) -> None:
    """Write a value of tensors and plain values, unless ``check`` raises, which is asked first and again at the end."""
    check()
    parts = seal_value(value)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(partial, *parts)
        check()
        partial.replace(path)
    except OSError as error:
        check()  # who has the cell by now may have finished it and removed the folder
        raise StoreError(f"the checkpoint {path} cannot be written: {plain_reason(error)}.") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def load(path: Path) -> Any:
    """Read a value back, on the CPU; None if there is none, or if a bit of it changed."""
    if not path.exists():
        return None
    try:
        return unseal_value(path.read_bytes(), path)
    except (OSError, Corrupt) as error:
        log.warning("the checkpoint %s cannot be read (%s); starting afresh.", path, type(error).__name__)
        return None


def _state(part: Any) -> Any:
    return part.state_dict() if hasattr(part, "state_dict") else part.detach()


def _put_back(part: Any, state: Any) -> str:
    """Restore one part; return why its state is not the saved one then, or nothing."""
    expected = content_of(state)  # first, because a part may go on to use the tensors that it is given
    _lay_out_alike(part, state)
    try:
        if hasattr(part, "load_state_dict"):
            part.load_state_dict(state)
        elif part.shape == state.shape:  # else copy_ would repeat a smaller one
            part.detach().copy_(state)
    except Exception as error:  # a part's own code may raise anything
        return type(error).__name__
    return "" if content_of(_state(part)) == expected else "its state came out otherwise"


def _lay_out_alike(part: Any, state: Any) -> None:
    """Lay a module's weights out as they were saved: compiled code has them by channels from its first call on."""
    import torch
    from torch import nn

    if isinstance(part, nn.Module) and isinstance(state, dict):
        by_channels = any(is_by_channels(value) for value in state.values() if isinstance(value, torch.Tensor))
        layout = torch.channels_last if by_channels else torch.contiguous_format
        part.to(memory_format=layout)  # type: ignore[call-overload]


def _undo(path: Path, parts: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    for key, part in parts.items():
        trouble = _put_back(part, before[key])
        if trouble:
            path.unlink(missing_ok=True)  # the next try must not come to this again
            raise StillproofError(
                f"{key} could not be restored from {path}, which is deleted ({trouble}): start again."
            )
