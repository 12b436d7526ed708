"""Other people's attacks, each as a function from a model, images and labels to attacked images.

They are asked for the same budget as ours: eps, step and number of steps.
"""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pytest
import torch
from torch import Tensor, nn

from stillproof.attack.base.norms import ORDERS, Norm

STEPS = 10


@dataclass(frozen=True)
class Task:
    """What is attacked, and how hard."""

    model: nn.Module
    images: Tensor
    labels: Tensor
    eps: float = 0.0  # of minimal-norm attacks there is none

    @property
    def step(self) -> float:
        """Return a quarter of eps, as ours have it."""
        return self.eps / 4

    @property
    def targets(self) -> Tensor:
        """Return the next class of each image."""
        return (self.labels + 1) % 10


Craft = Callable[[Task], Tensor]


@dataclass(frozen=True)
class Case:
    """One of ours beside one of theirs."""

    ours: str
    library: Literal["torchattacks", "foolbox", "art", "adv_lib", "pyautoattack"]
    theirs: Craft
    norm: Norm = "Linf"
    targeted: bool = False

    @property
    def name(self) -> str:
        """Return what to call it."""
        return f"{self.ours}{' targeted' if self.targeted else ''} - {self.library}"


def library(name: str) -> Any:
    """Import a library, or skip the test."""
    if name == "adv_lib":
        # It wants these two at import, for a perceptual distance and for plots on a server: not for what is asked here.
        for absent in ("torchvision", "torchvision.models", "visdom"):
            sys.modules.setdefault(absent, types.ModuleType(absent))
        sys.modules["torchvision"].models = sys.modules["torchvision.models"]  # type: ignore[attr-defined]
        name = "adv_lib.attacks"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name)


def torchattacks(attack: str, **options: Callable[[Task], Any]) -> Craft:
    def craft(task: Task) -> Tensor:
        made: Tensor = _torchattack(task, attack, options)(task.images, task.labels)
        return made

    return craft


def aimed_torchattacks(attack: str, **options: Callable[[Task], Any]) -> Craft:
    def craft(task: Task) -> Tensor:
        built = _torchattack(task, attack, options)
        built.set_mode_targeted_by_label(quiet=True)
        made: Tensor = built(task.images, task.targets)
        return made

    return craft


def _torchattack(task: Task, attack: str, options: dict[str, Callable[[Task], Any]]) -> Any:
    return getattr(library("torchattacks"), attack)(task.model, **{key: of(task) for key, of in options.items()})


def foolbox(attack: str, **options: Callable[[Task], Any]) -> Craft:
    def craft(task: Task) -> Tensor:
        foolbox = library("foolbox")
        built = getattr(foolbox.attacks, attack)(**{key: of(task) for key, of in options.items()})
        model = foolbox.PyTorchModel(task.model, bounds=(0, 1), device="cpu")
        wrong = foolbox.criteria.Misclassification(task.labels)
        made: Tensor = built.run(model, task.images, wrong, **({"epsilon": task.eps} if task.eps else {}))
        return made

    return craft


def art(attack: str, **options: Callable[[Task], Any]) -> Craft:
    def craft(task: Task) -> Tensor:
        evasion = library("art.attacks.evasion")
        estimators = library("art.estimators.classification")
        shape = tuple(task.images.shape[1:])
        loss = nn.CrossEntropyLoss()
        classifier = estimators.PyTorchClassifier(task.model, loss, shape, 10, clip_values=(0, 1), device_type="cpu")
        built = getattr(evasion, attack)(classifier, **{key: of(task) for key, of in options.items()})
        return torch.from_numpy(built.generate(task.images.numpy(), task.labels.numpy()))

    return craft


def adv_lib(attack: str, **options: Callable[[Task], Any]) -> Craft:
    def craft(task: Task) -> Tensor:
        run = getattr(library("adv_lib"), attack)
        made: Tensor = run(task.model, task.images, task.labels, **{key: of(task) for key, of in options.items()})
        return made

    return craft


def pyautoattack(attack: str, norm: Norm = "Linf") -> Craft:
    """Return one part of AutoAttack, or all four of ``standard``."""

    def craft(task: Task) -> Tensor:
        which = {} if attack == "standard" else {"version": "custom", "attacks": [attack]}
        built = library("pyautoattack").AutoAttack(task.model, eps=task.eps, norm=norm, seed=0, **which)
        if attack != "standard":  # its custom version has five restarts otherwise
            built.apgd.n_restarts = 1
        made: Tensor = built.run_standard_evaluation(task.images, task.labels)[0]
        return made

    return craft


def _is(value: Any) -> Callable[[Task], Any]:
    return lambda task: value


def _eps(task: Task) -> float:
    return task.eps


def _step(task: Task) -> float:
    return task.step


SIGN = {"eps": _eps, "alpha": _step, "steps": _is(STEPS)}
ART_PGD = {"eps": _eps, "eps_step": _step, "max_iter": _is(STEPS), "num_random_init": _is(1), "verbose": _is(False)}
FOOLBOX_PGD = {"abs_stepsize": _step, "steps": _is(STEPS)}

BOUNDED = [
    Case("fgsm", "torchattacks", torchattacks("FGSM", eps=_eps)),
    Case("fgsm", "foolbox", foolbox("FGSM", random_start=_is(False))),
    Case("fgsm", "art", art("FastGradientMethod", eps=_eps)),
    Case("fgsm", "torchattacks", aimed_torchattacks("FGSM", eps=_eps), targeted=True),
    Case("bim", "torchattacks", torchattacks("BIM", **SIGN)),
    Case("bim", "foolbox", foolbox("LinfBasicIterativeAttack", random_start=_is(False), **FOOLBOX_PGD)),
    Case("pgd", "torchattacks", torchattacks("PGD", **SIGN)),
    Case("pgd", "foolbox", foolbox("LinfPGD", **FOOLBOX_PGD)),
    Case("pgd", "art", art("ProjectedGradientDescent", **ART_PGD)),
    Case("pgd", "adv_lib", adv_lib("pgd_linf", ε=_eps, absolute_step_size=_step, steps=_is(STEPS))),
    Case("pgd", "torchattacks", aimed_torchattacks("PGD", **SIGN), targeted=True),
    Case("pgd-l2", "torchattacks", torchattacks("PGDL2", **SIGN), "L2"),
    Case("pgd-l2", "foolbox", foolbox("L2PGD", **FOOLBOX_PGD), "L2"),
    Case("pgd-l2", "art", art("ProjectedGradientDescent", norm=_is(2), **ART_PGD), "L2"),
    # Both go along the whole gradient, brought to length 1 in L1: a step in L1 that is worth its length changes few
    # values only. They lose a fraction of the images that ours does.
    Case("pgd-l1", "foolbox", foolbox("L1PGD", **FOOLBOX_PGD), "L1"),
    Case("pgd-l1", "art", art("ProjectedGradientDescent", norm=_is(1), **ART_PGD), "L1"),
    # APGD steps in L1 adapt: a stronger algorithm than PGD, at the same number of steps.
    Case("pgd-l1", "adv_lib", adv_lib("apgd", norm=_is(1), eps=_eps, n_iter=_is(STEPS)), "L1"),
    Case("mifgsm", "torchattacks", torchattacks("MIFGSM", decay=_is(1.0), **SIGN)),
    Case("mifgsm", "torchattacks", aimed_torchattacks("MIFGSM", decay=_is(1.0), **SIGN), targeted=True),
    # Theirs looks ahead far outside the ball, by the momentum's whole length, where the gradient says little.
    Case("nifgsm", "torchattacks", torchattacks("NIFGSM", decay=_is(1.0), **SIGN)),
    # One draw for the whole batch, which either sees copies or does not; ours draws for each image.
    Case("difgsm", "torchattacks", torchattacks("DIFGSM", **SIGN)),
    Case("tifgsm", "torchattacks", torchattacks("TIFGSM", **SIGN)),  # knows images of three channels only
    Case("eotpgd", "torchattacks", torchattacks("EOTPGD", eot_iter=_is(2), **SIGN)),
    Case("upgd", "torchattacks", torchattacks("UPGD", **SIGN)),
    Case("upgd:loss=margin", "torchattacks", torchattacks("UPGD", loss=_is("margin"), **SIGN)),
    Case("upgd:loss=dlr", "torchattacks", torchattacks("UPGD", loss=_is("dlr"), **SIGN)),
    *(Case(name, "pyautoattack", pyautoattack(name)) for name in ("apgd-ce", "apgd-dlr", "apgd-t")),
    *(
        Case(f"{name}:norm=L2", "pyautoattack", pyautoattack(name, "L2"), "L2")
        for name in ("apgd-ce", "apgd-dlr", "apgd-t")
    ),
    Case("apgd", "adv_lib", adv_lib("apgd", norm=_is(float("inf")), loss_function=_is("ce"), eps=_eps)),
    Case("apgd", "torchattacks", torchattacks("APGD", eps=_eps, steps=_is(100))),
    Case("apgd:norm=L2", "adv_lib", adv_lib("apgd", norm=_is(2), loss_function=_is("ce"), eps=_eps), "L2"),
    Case("apgd-dlr", "adv_lib", adv_lib("apgd", norm=_is(float("inf")), eps=_eps, loss_function=_is("dlr"))),
    Case("apgd-t", "adv_lib", adv_lib("apgd_targeted", norm=_is(float("inf")), eps=_eps)),
    Case("square:queries=500", "torchattacks", torchattacks("Square", eps=_eps, n_queries=_is(500))),
    Case(
        "square:queries=500:loss=ce",
        "torchattacks",
        torchattacks("Square", eps=_eps, n_queries=_is(500), loss=_is("ce")),
    ),
    Case(
        "square:queries=500:norm=L2",
        "torchattacks",
        torchattacks("Square", norm=_is("L2"), eps=_eps, n_queries=_is(500)),
        "L2",
    ),
    Case("rfgsm", "torchattacks", torchattacks("RFGSM", **SIGN)),
    Case("ffgsm", "torchattacks", torchattacks("FFGSM", eps=_eps, alpha=lambda task: 1.25 * task.eps)),
    Case("tpgd", "torchattacks", torchattacks("TPGD", **SIGN)),
    Case("spsa:lr=0.06:steps=2", "torchattacks", torchattacks("SPSA", eps=_eps, lr=_eps, nb_iter=_is(2))),
]

FOOLBOX_CW = {"binary_search_steps": _is(5), "steps": _is(50), "stepsize": _is(0.05), "initial_const": _is(1.0)}
ADV_LIB_CW = {"binary_search_steps": _is(5), "max_iterations": _is(50), "learning_rate": _is(0.05)}
CW = "cw:searches=5:steps=50:lr=0.05"
DEEPFOOL = {"steps": _is(50), "overshoot": _is(0.02)}

NEAREST = [
    # Theirs cannot move pixels that are quite black or white, and ends all images of a batch when the sum of their
    # losses grows once.
    Case("cw", "torchattacks", torchattacks("CW", c=_is(1.0), kappa=_is(0), steps=_is(100), lr=_is(0.01)), "L2"),
    Case(CW, "foolbox", foolbox("L2CarliniWagnerAttack", abort_early=_is(False), **FOOLBOX_CW), "L2"),
    Case(
        CW, "adv_lib", adv_lib("carlini_wagner_l2", initial_const=_is(1.0), abort_early=_is(False), **ADV_LIB_CW), "L2"
    ),
    # Theirs goes beyond the border by a share of the last small step, and not of the whole way as the paper has it: it
    # ends so near that a fifth of the images are rounded back, and more when they are judged in another batch.
    Case("deepfool", "torchattacks", torchattacks("DeepFool", **DEEPFOOL), "L2"),
    Case("deepfool", "foolbox", foolbox("L2DeepFoolAttack", **DEEPFOOL), "L2"),
    Case("deepfool", "adv_lib", adv_lib("df", **DEEPFOOL), "L2"),
    Case("deepfool:norm=Linf", "foolbox", foolbox("LinfDeepFoolAttack", **DEEPFOOL), "Linf"),
    Case("deepfool:norm=Linf", "adv_lib", adv_lib("df", norm=_is(float("inf")), **DEEPFOOL), "Linf"),
    Case("fmn", "adv_lib", adv_lib("fmn", norm=_is(float("inf")), steps=_is(100)), "Linf"),
    # Theirs takes the border for nearer than it is where pixels are black or white, and loses a tenth of the images.
    Case("fmn-l2", "adv_lib", adv_lib("fmn", norm=_is(2), steps=_is(100)), "L2"),
    Case("fmn-l1", "adv_lib", adv_lib("fmn", norm=_is(1), steps=_is(100)), "L1"),
    Case("fmn", "foolbox", foolbox("LInfFMNAttack", steps=_is(100)), "Linf"),
    Case("fmn-l2", "foolbox", foolbox("L2FMNAttack", steps=_is(100)), "L2"),
    Case("fmn-l1", "foolbox", foolbox("L1FMNAttack", steps=_is(100)), "L1"),
    Case("ddn", "adv_lib", adv_lib("ddn", steps=_is(100), levels=_is(None)), "L2"),
    Case("ddn:levels=256", "adv_lib", adv_lib("ddn", steps=_is(100), levels=_is(256)), "L2"),
    Case("ddn", "foolbox", foolbox("DDNAttack", steps=_is(100)), "L2"),
    *(
        Case(
            f"{ours}:norm={norm}:steps=30",
            "adv_lib",
            adv_lib("fab", norm=_is(order), targeted_restarts=_is(aimed), n_iter=_is(30)),
            norm,
        )
        for norm, order in ORDERS.items()
        for ours, aimed in (("fab", False), ("fab-t", True))
    ),
]

# One pixel of another colour, at the same number of candidates and generations.
SPARSE = Case(
    "onepixel:pixels=3:steps=20:popsize=30",
    "torchattacks",
    torchattacks("OnePixel", pixels=_is(3), steps=_is(20), popsize=_is(30)),
)
