"""Remembers which functions torch has compiled on this machine, so that loading them is not taken for compiling."""

from __future__ import annotations

import functools
import getpass
import hashlib
import logging
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

log = logging.getLogger("stillproof")

KEEPS_NOTHING = {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "TORCHINDUCTOR_FX_GRAPH_CACHE": "0"}  # torch, if it is told
FOLDER = "stillproof"  # beside what torch keeps, so that both are lost together


def is_on_disk(function: Callable[..., Any], body: nn.Module, shape: tuple[int, ...]) -> bool:
    """Say whether a function was compiled here before, for images of a shape."""
    if any(os.environ.get(name) == value for name, value in KEEPS_NOTHING.items()):
        return False
    return os.path.exists(_mark(function, body, shape))  # noqa: PTH110  False too where the folder may not be read


def note_on_disk(function: Callable[..., Any], body: nn.Module, shape: tuple[int, ...]) -> None:
    """Remember that it was; where nothing can be written, torch keeps nothing either."""
    mark = _mark(function, body, shape)
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError as error:
        log.info("%s cannot be written (%s): compiled code will not be reused.", mark.parent, error.strerror)


def _mark(function: Callable[..., Any], body: nn.Module, shape: tuple[int, ...]) -> Path:
    """Return the file that stands for all that torch's own names of compiled code depend on."""
    device = next((str(weight.device.type) for weight in body.parameters()), "cpu")
    known = (torch.__version__, torch.backends.cpu.get_cpu_capability(), torch.get_num_threads(), device)
    mode = (body.training, torch.is_grad_enabled(), torch.is_inference_mode_enabled())
    text = repr((known, mode, shape, _named(function), str(body)))
    return _cache() / FOLDER / hashlib.sha256(text.encode()).hexdigest()[:32]


def _cache() -> Path:
    """Return where torch keeps compiled code; asking torch itself would load the compiler, seconds of work."""
    own = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    if own:
        return Path(own)
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # in a container, under a number that has no name
        user = f"uid_{os.getuid()}"
    name = re.sub(r'[\\/:*?"<>|]', "_", user)
    return Path(tempfile.gettempdir()) / f"torchinductor_{name}"


def _named(function: Callable[..., Any]) -> str:
    """Return what a function is called, with the plain values that it was given."""
    if isinstance(function, functools.partial):
        given = [repr(value) for value in function.args if not isinstance(value, nn.Module)]
        return f"{_named(function.func)}({', '.join(given)})"
    return f"{function.__module__}.{getattr(function, '__qualname__', type(function).__qualname__)}"
