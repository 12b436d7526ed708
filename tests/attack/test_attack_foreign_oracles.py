"""Attacks of other libraries through the bridge, and the same calls made directly: the same images, seed by seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from attack_setups import images, trained
from oracles import library
from torch import Tensor, nn

from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import run_attack
from stillproof.attack.foreign.art_repairs import mended
from stillproof.attack.foreign.isolation import seeded, silent
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds

pytestmark = pytest.mark.slow
COUNT = 6
SEEDS = Seeds(3)


@dataclass(frozen=True)
class Case:
    """An attack as it is named here, and as its library is called."""

    name: str
    options: dict[str, Any]
    softmax: bool = False
    takes_labels: bool = True

    @property
    def reference(self) -> str:
        """Return the attack as people write it."""
        return ":".join([self.name, *(f"{key}={value}" for key, value in self.options.items())])


ART = [
    Case("art/BasicIterativeMethod", {"eps": 0.1, "eps_step": 0.02, "max_iter": 5}),
    Case("art/BoundaryAttack", {"max_iter": 5}),
    Case(
        "art/CarliniL2Method", {"max_iter": 10, "learning_rate": 0.1, "initial_const": 10.0, "binary_search_steps": 2}
    ),
    Case("art/DeepFool", {"max_iter": 10}),
    Case("art/ElasticNet", {"max_iter": 10, "learning_rate": 0.1, "binary_search_steps": 2, "initial_const": 10.0}),
    Case("art/FastGradientMethod", {"eps": 0.1}),
    Case("art/NewtonFool", {"max_iter": 10}),
    Case("art/ProjectedGradientDescent", {"eps": 0.1, "eps_step": 0.02, "max_iter": 5, "num_random_init": 2}),
    Case("art/SaliencyMapMethod", {}, takes_labels=False),
    Case("art/ShadowAttack", {"nb_steps": 10, "batch_size": 1}, takes_labels=False),
    Case("art/SimBA", {"max_iter": 200}, softmax=True),
    Case("art/SpatialTransformation", {"max_rotation": 30.0, "num_rotations": 5}),
    Case("art/SquareAttack", {"eps": 0.1, "max_iter": 10}),
    Case("art/UniversalPerturbation", {}),
    Case("art/Wasserstein", {"norm": "2", "ball": "2", "eps": 1.0, "eps_step": 0.5, "max_iter": 5}),
]
TORCHATTACKS = [
    Case("torchattacks/APGD", {"eps": 0.1, "steps": 5, "seed": 4}),
    Case("torchattacks/CW", {"steps": 20, "lr": 0.05}),
    Case("torchattacks/DIFGSM", {"eps": 0.1, "steps": 3}),
    Case("torchattacks/FAB", {"eps": 0.3, "steps": 3, "seed": 4}),
    Case("torchattacks/FGSM", {"eps": 0.1}),
    Case("torchattacks/PGD", {"eps": 0.1, "alpha": 0.02, "steps": 5}),
    Case("torchattacks/PGDL2", {"eps": 1.0, "steps": 5}),
    Case("torchattacks/Pixle", {"restarts": 5}),
    Case("torchattacks/Square", {"eps": 0.3, "n_queries": 100, "seed": 4}),
    Case("torchattacks/TIFGSM", {"eps": 0.1, "steps": 3}),
]
FOOLBOX = [
    Case("foolbox/BoundaryAttack", {"steps": 50}),
    Case("foolbox/DDNAttack", {"steps": 20}),
    Case("foolbox/L1FMNAttack", {"steps": 20}),
    Case("foolbox/L2CarliniWagnerAttack", {"steps": 20, "binary_search_steps": 3}),
    Case("foolbox/L2DeepFoolAttack", {"steps": 10}),
    Case("foolbox/L2PGD", {"steps": 5, "epsilon": 0.5}),
    Case("foolbox/LinfPGD", {"steps": 5, "epsilon": 0.1}),
    Case("foolbox/SaltAndPepperNoiseAttack", {"steps": 50}),
]
CASES = [*ART, *TORCHATTACKS, *FOOLBOX]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.reference)
@pytest.mark.parametrize("targeted", [False, True])
def test_the_bridge_does_what_a_direct_call_does(case: Case, targeted: bool) -> None:
    library(case.name.partition("/")[0])
    attack = attack_of(case.reference)
    if targeted and not attack.has_target:
        pytest.skip("it has no targeted form")
    (pixels, labels), model = images(40), trained()
    with torch.no_grad():
        right = model(pixels).argmax(1) == labels
    pixels, labels = pixels[right][:COUNT], labels[right][:COUNT]
    target = "next" if targeted else None
    rules = Rules(keep_images=True, draws=0)
    made = run_attack(attack, model, pixels, labels, ctx=Context(SEEDS), rules=rules, target=target)  # type: ignore[arg-type]
    assert made.images is not None
    seeds = SEEDS.child("try", 0)
    for row in range(COUNT):
        with seeded(seeds.child("image", row, "library"), "cpu"), silent(case.name.partition("/")[0]):
            theirs = _direct(case)(case, model, pixels[row : row + 1], labels[row : row + 1], targeted)
        theirs = torch.where(theirs.isnan(), pixels[row : row + 1], theirs).clamp(0, 1)
        far = (made.images[row] - theirs[0]).abs().max().item()
        assert far < 1e-4, f"image {row}: {far}"
    assert targeted or made.linf.max() > 0


class Floats(nn.Module):
    """Takes the float64 that some hand over."""

    def forward(self, pixels: Tensor) -> Tensor:
        return pixels.float()


def _direct(case: Case) -> Callable[..., Tensor]:
    return {"art": _art, "torchattacks": _torchattacks, "foolbox": _foolbox}[case.name.partition("/")[0]]


def _art(case: Case, model: nn.Module, image: Tensor, label: Tensor, targeted: bool) -> Tensor:
    evasion, estimators = library("art.attacks.evasion"), library("art.estimators.classification")
    whole = nn.Sequential(Floats(), model, *([nn.Softmax(1)] if case.softmax else []))
    classifier = estimators.PyTorchClassifier(
        whole, nn.CrossEntropyLoss(), tuple(image.shape[1:]), 10, clip_values=(0.0, 1.0), device_type="cpu"
    )
    attack = getattr(evasion, case.name.partition("/")[2])
    known = attack.__init__.__code__.co_varnames
    given = case.options | ({"targeted": targeted} if "targeted" in known else {})
    y = ((label + 1) % 10 if targeted else label).numpy()
    one_hot = nn.functional.one_hot(torch.from_numpy(y), 10).float().numpy()
    told = {"y": one_hot} if targeted or case.takes_labels else {}
    built = attack(classifier, **given, **({"verbose": False} if "verbose" in known else {}))
    with mended(attack.__module__):  # or else its generators have other seeds each time
        return torch.from_numpy(built.generate(image.numpy(), **told)).float()


def _torchattacks(case: Case, model: nn.Module, image: Tensor, label: Tensor, targeted: bool) -> Tensor:
    torch.randint(2**31, ())  # the seed that the bridge draws
    attack = getattr(library("torchattacks"), case.name.partition("/")[2])(model, **case.options)
    if targeted:
        attack.set_mode_targeted_by_label(quiet=True)
    made: Tensor = attack(image.clone(), (label + 1) % 10 if targeted else label)
    return made.detach()


def _foolbox(case: Case, model: nn.Module, image: Tensor, label: Tensor, targeted: bool) -> Tensor:
    foolbox = library("foolbox")
    given = {key: value for key, value in case.options.items() if key != "epsilon"}
    attack = getattr(foolbox.attacks, case.name.partition("/")[2])(**given)
    criterion = foolbox.criteria.Misclassification(label)
    if targeted:
        criterion = foolbox.criteria.TargetedMisclassification((label + 1) % 10)
    radius = {"epsilon": case.options["epsilon"]} if "epsilon" in case.options else {}
    made: Tensor = attack.run(foolbox.PyTorchModel(model, bounds=(0, 1)), image.clone(), criterion, **radius)
    return made.detach()
