"""Golden cells: a few tiny computations whose numbers are kept, to notice a change that nobody meant.

They are compared with a tolerance, since processors and versions of torch differ in their last bits.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from stillproof.session import Session
from stillproof.suites.requests import Request, distilled, real_images, trained

KEPT = Path(__file__).with_name("golden.json")
TOLERANCE = 1e-3  # relative; training on a few images multiplies differences of the last bits
DIGITS = real_images("digits")
NETWORK = "convnet-2:width=8"
METHODS = ("random", "k-center", "herding", "dc", "dsa", "dm", "mtt:experts=1", "kip", "kip:zca=true", "idm", "datadam")
RECIPES = ("smoke", "smoke:augment=dsa", "smoke:augment=cutmix", "smoke:optimiser=adam:schedule=cosine:clip=1.0")

Numbers = dict[str, float]


def compute() -> dict[str, Numbers]:
    """Return the numbers of all golden cells."""
    made = {method: distilled(DIGITS, method, 2, 0, NETWORK, "smoke") for method in METHODS}
    models = {f"train {recipe}": trained(made["random"], NETWORK, recipe, 0) for recipe in RECIPES}
    with tempfile.TemporaryDirectory() as folder:
        session = Session(f"{folder}/golden.db")
        try:
            found = {name: _of_a_set(session, request) for name, request in made.items()}
            return found | {name: _of_a_training(session, request) for name, request in models.items()}
        finally:
            session.close()


def _of_a_set(session: Session, request: Request) -> Numbers:
    images = session.store.artifacts.read(session.answer(request)["artifact"]).tensors["images"].double()
    return {"mean": images.mean().item(), "std": images.std().item(), "first": images.flatten()[0].item()}


def _of_a_training(session: Session, request: Request) -> Numbers:
    return {f"loss {epoch}": loss for epoch, loss in enumerate(session.answer(request)["losses"])}


def differences(kept: Mapping[str, Numbers], found: Mapping[str, Numbers]) -> list[str]:
    """Return what moved, or is not in both."""
    moved = [f"{name} is in one of them alone" for name in kept.keys() ^ found.keys()]
    for name in kept.keys() & found.keys():
        for key, value in kept[name].items():
            if not math.isclose(value, found[name].get(key, math.nan), rel_tol=TOLERANCE, abs_tol=TOLERANCE):
                moved.append(f"{name}: {key} was {value:.6g} and is {found[name].get(key, math.nan):.6g}")
    return sorted(moved)


def moved() -> list[str]:
    """Return what moved since the golden cells were kept."""
    return differences(json.loads(KEPT.read_text(encoding="utf-8")), compute())


if __name__ == "__main__":
    KEPT.write_text(json.dumps(compute(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    sys.stdout.write(f"{KEPT.name} is written: from now on these are the numbers that do not move.\n")
