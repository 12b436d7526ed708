"""Whole processes, from their start to their end, against the authors' loop: at first use, and with code on disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.line import Line

PARTS = ("start", "data", "compiling", "steps", "test", "store", "rest")
WARM_TARGET = 1.8


def process_lines(ipc: int) -> Iterator[Line]:
    """Train ConvNet-3 on ``10 * ipc`` images, by turns: the authors' loop, ours at first use, ours again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_noise(folder)
        theirs = _run("theirs", folder, ipc)
        cold = _run("ours", folder, ipc)
        _run("compiled", folder, ipc)
        warm = _run("ours", folder, ipc)
    for when, found, least in (("first use", cold, 1.0), ("code on disk", warm, WARM_TARGET)):
        way = "compiled" if found["compiled"] else "eager"
        what = f"whole process, {ipc} ipc, {when}"
        told = ", ".join(f"{part} {found.get(part, 0.0):.1f}" for part in PARTS)
        yield Line(f"{what}: times the authors' loop", theirs["whole"] / found["whole"], "x", way, "at least", least)
        yield Line(f"{what}: seconds", found["whole"], "s", told)
    told = ", ".join(f"{part} {theirs.get(part, 0.0):.1f}" for part in ("start", "steps", "test", "rest"))
    yield Line(f"whole process, {ipc} ipc, the authors' loop: seconds", theirs["whole"], "s", told)


def _run(who: str, folder: Path, ipc: int) -> dict[str, Any]:
    """Run one process; torch keeps what it compiles in the folder, where nothing is at first."""
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(folder / "compiled")}
    command = [sys.executable, "-m", "benchmarks.one_process", who, str(folder), str(ipc), str(time.time())]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _write_noise(folder: Path) -> None:
    """Write random images in the form of CIFAR-10."""
    random = np.random.default_rng(0)
    train, test = (random.integers(0, 256, (count, 32, 32, 3), dtype=np.uint8) for count in (50_000, 10_000))
    np.savez(
        folder / "cifar10.npz",
        x_train=train,
        y_train=np.arange(len(train)) % 10,
        x_test=test,
        y_test=np.arange(len(test)) % 10,
    )
