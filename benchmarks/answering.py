"""How long a person waits before anything is computed: for help, for a plan, for a cached answer."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.line import Line
from stillproof.core.components import suites

COMMAND = [sys.executable, "-c", "from stillproof.cli.main import main; main()", "--help"]
REPEATS = 5
CACHED_REPEATS = 50
PLAN = {"ipc": tuple(range(1, 29)), "seeds": 30}  # with 4 methods and full data: 10,140 cells


def help_lines() -> Iterator[Line]:
    """Measure ``stillproof --help`` in processes of its own."""
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        subprocess.run(COMMAND, check=True, capture_output=True)
        seconds.append(time.perf_counter() - started)
    listed = [sys.executable, "-X", "importtime", *COMMAND[1:]]
    imports = subprocess.run(listed, check=True, capture_output=True, text=True).stderr
    names = {line.rpartition("|")[2].strip() for line in imports.splitlines()}
    torch = "torch IMPORTED" if "torch" in names else "torch not imported"
    yield Line("stillproof --help", median(seconds), "s", f"median of {REPEATS} processes, {torch}", "under", 0.5)


def plan_lines() -> Iterator[Line]:
    """Measure the planning of a large suite, for the first time in this process and once more."""
    from stillproof.run.plan import Planner

    suite = suites.build("accuracy", PLAN)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("first", "again"):
            planner = Planner(Path(folder))
            started = time.perf_counter()
            planner.rows(suite.rows())
            seconds = time.perf_counter() - started
            assert len(planner.cells) >= 10_000
            how = f"{len(planner.cells)} cells of suite accuracy on digits"
            if name == "first":
                yield Line("planning 10,000 cells", seconds, "s", f"{how}, imports included", "under", 3)
            else:
                yield Line("planning 10,000 cells again", seconds, "s", f"{how}, a new planner in the same process")


def cached_lines() -> Iterator[Line]:
    """Measure the answer to a question that the store knows."""
    from stillproof.session import Session

    with tempfile.TemporaryDirectory() as folder:
        session = Session(f"{folder}/store.db", folder)
        with session.store:
            session.distill("digits", "random", 1)
            seconds = []
            for _ in range(CACHED_REPEATS):
                started = time.perf_counter()
                made = session.distill("digits", "random", 1)
                seconds.append(time.perf_counter() - started)
                assert made.cached
    how = f"median of {CACHED_REPEATS} calls of Session.distill, planning included"
    yield Line("answering a cached cell", 1000 * median(seconds), "ms", how, "under", 10)
