"""Other libraries' attacks, where they are installed, with as many steps as fit a number of passes."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import sys
import types
import warnings
from typing import Any

from torch import Tensor, nn

from stillproof.attack.base.norms import ORDERS, Norm
from stillproof.attack.bench.contestant import Contestant
from stillproof.attack.bench.metered import Metered

# Names of distributions and of what is imported.
PACKAGES = {
    "adv-lib": "adv_lib",
    "foolbox": "foolbox",
    "torchattacks": "torchattacks",
    "art": "art",
}
DISTRIBUTIONS = {"art": "adversarial-robustness-toolbox"}
CARLINI_SEARCHES = 5
STEP = 1 / 4  # of PGD, as a share of eps: the same for all, ours among them


def version_of(library: str) -> str | None:
    """Return the version of a library; None if it is not installed."""
    try:
        return importlib.metadata.version(DISTRIBUTIONS.get(library, library))
    except importlib.metadata.PackageNotFoundError:
        return None


def theirs(norm: Norm) -> list[Contestant]:
    """Return the attacks of installed libraries that have a norm."""
    found = [*_adv_lib(norm), *_foolbox(norm), *_torchattacks(norm), *_art(norm)]
    versions = {library: version_of(library) for library in PACKAGES}
    return [
        Contestant(one.name, one.source, one.free, one.within, version)
        for one in found
        if (version := versions[one.source]) is not None
    ]


def _module(library: str, below: str) -> Any:
    """Import a part of a library."""
    if library == "adv-lib":
        # It wants these at import, for a perceptual distance and for plots on a server: not for what is asked here.
        for absent in ("torchvision", "visdom"):
            if absent not in sys.modules and importlib.util.find_spec(absent) is None:
                sys.modules[absent] = types.ModuleType(absent)
                sys.modules[f"{absent}.models"] = types.ModuleType(f"{absent}.models")
                sys.modules[absent].models = sys.modules[f"{absent}.models"]  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is outdated in them
        return importlib.import_module(f"{PACKAGES[library]}{below}")


def _adv_lib(norm: Norm) -> list[Contestant]:
    def call(attack: str, model: Metered, x: Tensor, y: Tensor, **options: Any) -> None:
        getattr(_module("adv-lib", ".attacks"), attack)(model, x, y, **options)

    order = ORDERS[norm]
    found = [
        Contestant("fmn", "adv-lib", lambda m, x, y, n: call("fmn", m, x, y, norm=order, steps=n // 2)),
        Contestant(
            "apgd-dlr",
            "adv-lib",
            within=lambda m, x, y, n, eps: call(
                "apgd", m, x, y, norm=order, eps=eps, n_iter=max(1, (n - 2) // 2), loss_function="dlr"
            ),
        ),
    ]
    if norm == "L2":
        found.append(Contestant("ddn", "adv-lib", lambda m, x, y, n: call("ddn", m, x, y, steps=n // 2, levels=None)))
    if norm != "L1":
        found.append(Contestant("deepfool", "adv-lib", lambda m, x, y, n: call("df", m, x, y, norm=order)))
    if norm != "Linf":
        alma = {"L2": ("l2", 0.1), "L1": ("l1", 0.5)}[norm]
        found.append(
            Contestant(
                "alma",
                "adv-lib",
                lambda m, x, y, n: call(
                    "alma", m, x, y, distance=alma[0], init_lr_distance=alma[1], num_steps=max(1, n // 2), α=0.9
                ),
            )
        )
    return found


def _foolbox(norm: Norm) -> list[Contestant]:
    def call(attack: str, model: Metered, x: Tensor, y: Tensor, eps: float | None = None, **options: Any) -> None:
        foolbox = _module("foolbox", "")
        wrapped = foolbox.PyTorchModel(model, bounds=(0, 1), device=str(x.device))
        built = getattr(_module("foolbox", ".attacks"), attack)(**options)
        built.run(wrapped, x, foolbox.criteria.Misclassification(y), **({} if eps is None else {"epsilon": eps}))

    short = {"Linf": "LInf", "L2": "L2", "L1": "L1"}[norm]
    found = [
        Contestant("fmn", "foolbox", lambda m, x, y, n: call(f"{short}FMNAttack", m, x, y, steps=n // 2)),
        # Its usual steps are made for fifty of them: with fewer, they do not reach the border of the ball.
        Contestant(
            "pgd",
            "foolbox",
            within=lambda m, x, y, n, eps: call(f"{norm}PGD", m, x, y, eps, steps=max(1, n // 2), rel_stepsize=STEP),
        ),
    ]
    if norm == "L2":
        found.append(Contestant("ddn", "foolbox", lambda m, x, y, n: call("DDNAttack", m, x, y, steps=n // 2)))
        each = {"binary_search_steps": CARLINI_SEARCHES}
        found.append(
            Contestant(
                "cw",
                "foolbox",
                lambda m, x, y, n: call(
                    "L2CarliniWagnerAttack", m, x, y, steps=max(1, n // 2 // CARLINI_SEARCHES), **each
                ),
            )
        )
    if norm != "L1":
        found.append(Contestant("deepfool", "foolbox", lambda m, x, y, n: call(f"{norm}DeepFoolAttack", m, x, y)))
    return found


def _torchattacks(norm: Norm) -> list[Contestant]:
    def call(attack: str, model: Metered, x: Tensor, y: Tensor, **options: Any) -> None:
        getattr(_module("torchattacks", ""), attack)(model, **options)(x, y)

    if norm == "L1":
        return []
    pgd = "PGD" if norm == "Linf" else "PGDL2"
    found = [
        Contestant(
            "pgd",
            "torchattacks",
            within=lambda m, x, y, n, eps: call(pgd, m, x, y, eps=eps, alpha=STEP * eps, steps=max(1, n // 2)),
        ),
        Contestant(
            "apgd-ce",
            "torchattacks",
            within=lambda m, x, y, n, eps: call("APGD", m, x, y, norm=norm, eps=eps, steps=max(1, (n - 2) // 2)),
        ),
    ]
    if norm == "L2":
        found.append(Contestant("cw", "torchattacks", lambda m, x, y, n: call("CW", m, x, y, steps=n // 2)))
        found.append(Contestant("deepfool", "torchattacks", lambda m, x, y, n: call("DeepFool", m, x, y)))
    return found


def _art(norm: Norm) -> list[Contestant]:
    def pgd(model: Metered, x: Tensor, y: Tensor, passes: int, eps: float) -> None:
        estimators = _module("art", ".estimators.classification")
        classifier = estimators.PyTorchClassifier(
            model,
            nn.CrossEntropyLoss(),
            tuple(x.shape[1:]),
            model.classes,
            clip_values=(0, 1),
            device_type="gpu" if x.is_cuda else "cpu",
        )
        steps = max(1, passes // 2)
        attack = _module("art", ".attacks.evasion").ProjectedGradientDescent(
            classifier,
            norm=ORDERS[norm],
            eps=eps,
            eps_step=STEP * eps,
            max_iter=steps,
            num_random_init=1,
            batch_size=len(x),
            verbose=False,
        )
        attack.generate(x.cpu().numpy(), y.cpu().numpy())

    return [Contestant("pgd", "art", within=pgd)]
