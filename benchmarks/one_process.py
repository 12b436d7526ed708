"""One training as a process of its own, which prints what its seconds went into: ours, or as the authors write it.

``python -m benchmarks.one_process ours|compiled|theirs FOLDER IPC STARTED``; FOLDER has ``cifar10.npz``, STARTED is the
clock of whoever started it. ``compiled`` makes a few passes of ours and compiles whatever that costs, as long runs do.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

SPENT: dict[str, float] = {}


def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose seconds are added up under a name."""

    def call(*arguments: Any, **options: Any) -> Any:
        began = time.perf_counter()
        try:
            return function(*arguments, **options)
        finally:
            SPENT[name] = SPENT.get(name, 0.0) + time.perf_counter() - began

    return call


def ours(folder: Path, ipc: int, recipe: str = "dc-bench") -> dict[str, Any]:
    """Train ConvNet-3 on random images by recipe dc-bench, with one test, as ``stillproof train`` does."""
    import stillproof.cli  # noqa: F401  as every command begins
    import stillproof.run.stages.train as stage
    from stillproof.run.stage import Job
    from stillproof.session import Session
    from stillproof.store.store import Store
    from stillproof.train.curve import Curve

    contexts: list[Any] = []

    def fit(*arguments: Any, **options: Any) -> None:
        contexts.append(arguments[3])
        usual(*arguments, **options)

    usual = getattr(stage, "fit")  # noqa: B009
    setattr(stage, "fit", fit)  # noqa: B010
    for owner, name, what in ((Job, "data", "data"), (Curve, "measure", "test"), (Store, "keep", "store")):
        setattr(owner, name, timed(what, getattr(owner, name)))
    with Session(f"sqlite:///{folder}/store-{time.time_ns()}.db", str(folder)) as session:
        made = session.distill("cifar10", "random", ipc)
        SPENT["before"] = time.time()
        score = session.train(made, network="convnet-3", recipe=recipe, seeds=1)
    assert score.accuracy.n == 1
    laps = contexts[0].laps["train"]
    steps = median(laps) * len(laps)
    SPENT["steps"], SPENT["compiling"] = steps, max(0.0, sum(laps) - steps - SPENT["test"])
    return {"compiled": contexts[0].notes["compiled"]}


def compiled(folder: Path, ipc: int) -> dict[str, Any]:
    """Have code on disk."""
    from stillproof.nets import compiled as deciding

    deciding.WORTH_COMPILING = 0
    return ours(folder, ipc, "dc-bench:epochs=3:decay_epochs=2")


def theirs(folder: Path, ipc: int) -> dict[str, Any]:
    """Train the same network on as many images with a plain loop, and test it once."""
    import numpy as np
    import torch

    from benchmarks.cells import TheirCell
    from benchmarks.training import INFO
    from stillproof.core.components import recipes
    from stillproof.core.types import ImageSet

    with np.load(folder / "cifar10.npz") as found:
        pixels, labels = (torch.from_numpy(found[name]) for name in ("x_test", "y_test"))
        images = torch.from_numpy(found["x_train"][: 10 * ipc]).permute(0, 3, 1, 2).float() / 255
    test = ImageSet(pixels.permute(0, 3, 1, 2).contiguous(), labels.long(), INFO, "noise/test")
    SPENT["before"] = time.time()
    recipe = recipes.build("dc-bench")
    cell = TheirCell((images - 0.5) / 0.5, torch.arange(10).repeat(ipc), test, recipe)
    for _ in range(recipe.epochs):
        cell.train()
    cell.test()
    SPENT["steps"], SPENT["test"] = cell.seconds.training, cell.seconds.testing
    return {}


def main() -> None:
    """Do it, and print seconds as JSON."""
    who, folder, ipc, started = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    notes = {"ours": ours, "compiled": compiled, "theirs": theirs}[who](folder, ipc)
    SPENT["start"] = SPENT.pop("before") - started
    whole = time.time() - started
    SPENT["rest"] = whole - sum(SPENT.values())
    print(json.dumps({**SPENT, "whole": whole, **notes}))


if __name__ == "__main__":
    main()
