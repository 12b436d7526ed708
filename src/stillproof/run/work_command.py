"""How an engine starts a worker: ``stillproof work`` as a process."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from stillproof.core.errors import BadInput
from stillproof.run.executor import Work
from stillproof.store.location import ARTIFACTS_VARIABLE, VARIABLE

DATA_VARIABLE = "STILLPROOF_DATA"


def work_command(work: Work) -> list[str]:
    """Return the command of a worker on a run; the store, whose URL may hold a password, is not in it.

    Raises:
        BadInput: It is no run, which alone workers elsewhere know.
    """
    if not work.run:
        raise BadInput("only runs of suites can be computed elsewhere: `stillproof run SUITE`.")
    script = Path(sys.executable).with_name("stillproof")
    allowed = [part for plugin in work.plugins for part in ("--allow-plugin", plugin.hash)]
    device = [] if work.options.device == "cpu" else ["--device", work.options.device]
    return [str(script), "work", "--run", work.run, *allowed, *device]


def environment_of(work: Work) -> dict[str, str]:
    """Return what a worker has to find in its environment: the store, its artifacts and the data."""
    return {
        VARIABLE: work.options.store_url,
        ARTIFACTS_VARIABLE: str(work.store.artifacts.root),
        DATA_VARIABLE: str(work.options.data_root),
    }


@contextlib.contextmanager
def work_environment(work: Work) -> Iterator[None]:
    """Let what is submitted inherit that environment, for a block."""
    before = {name: os.environ.get(name) for name in environment_of(work)}
    os.environ.update(environment_of(work))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
