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

from stillproof.run.attack_outcomes import read_outcomes
from stillproof.session import Session
from stillproof.suites.requests import Request, distilled, real_images, trained

KEPT = Path(__file__).with_name("golden.json")
TOLERANCE = 1e-3  # relative; training on a few images multiplies differences of the last bits
DIGITS = real_images("digits")
NETWORK, BATCH_NORMED = "convnet-2:width=8", "convnet-2-bn:width=8"
METHODS = ("random", "k-center", "herding", "dc", "dsa", "dm", "mtt:experts=1", "kip", "kip:zca=true", "idm", "datadam")
TAUGHT = ("bacon", "sre2l", "rded")
RECIPES = ("smoke", "smoke:augment=dsa", "smoke:augment=cutmix", "smoke:optimiser=adam:schedule=cosine:clip=1.0")
DEFENCE = "pgd-at:eps=0.1:steps=3"
VICTIM = trained(DIGITS, NETWORK, "quick-real:epochs=4", 0)
ATTACKED = 20  # images
FAIR = (  # of each family
    "fgsm:eps=0.05",
    "pgd:eps=0.05:steps=5",
    "mifgsm:eps=0.05:steps=5",
    "apgd:eps=0.05:steps=10",
    "autoattack:eps=0.05:steps=5:queries=20",
    "fab:steps=10",
    "fmn-l2:steps=20",
    "ddn:steps=20",
    "cw:steps=20:lr=0.05",
    "deepfool:steps=10",
    "square:eps=0.1:queries=50",
    "spsa:eps=0.1:steps=3:samples=32",
    "onepixel:pixels=3",
)
FAITHFUL = ("pgd:steps=5", "cw:steps=20", "deepfool:steps=10")

Numbers = dict[str, float]


def compute() -> dict[str, Numbers]:
    """Return the numbers of all golden cells."""
    made = {method: distilled(DIGITS, method, 2, 0, NETWORK, "smoke") for method in METHODS}
    made |= {method: distilled(DIGITS, method, 2, 0, BATCH_NORMED, "smoke") for method in TAUGHT}
    models = {f"train {recipe}": trained(made["random"], NETWORK, recipe, 0) for recipe in RECIPES}
    models[f"train {DEFENCE}"] = trained(made["random"], NETWORK, "smoke", 0, defence=DEFENCE)
    asked = [("fair", attack) for attack in FAIR] + [("faithful", attack) for attack in FAITHFUL]
    attacked = {f"{protocol} {attack}": _attack(attack, protocol) for protocol, attack in asked}
    with tempfile.TemporaryDirectory() as folder:
        session = Session(f"{folder}/golden.db")
        try:
            found = {name: _of_a_set(session, request) for name, request in made.items()}
            found |= {name: _of_a_training(session, request) for name, request in models.items()}
            return found | {name: _of_an_attack(session, request) for name, request in attacked.items()}
        finally:
            session.close()


def _attack(attack: str, protocol: str) -> Request:
    return Request("attack", model=VICTIM, dataset="digits", attack=attack, limit=ATTACKED, protocol=protocol)


def _of_a_set(session: Session, request: Request) -> Numbers:
    images = session.store.artifacts.read(session.answer(request)["artifact"]).tensors["images"].double()
    return {"mean": images.mean().item(), "std": images.std().item(), "first": images.flatten()[0].item()}


def _of_a_training(session: Session, request: Request) -> Numbers:
    return {f"loss {epoch}": loss for epoch, loss in enumerate(session.answer(request)["losses"])}


def _of_an_attack(session: Session, request: Request) -> Numbers:
    answer = session.answer(request)
    outcomes = read_outcomes(session.store, answer["outcomes"])
    sizes = {norm: outcomes[norm].double().mean().item() for norm in ("linf", "l2")}
    return {"robust": answer["robust_accuracy"], "passes": answer["passes_per_image"], **sizes}


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
