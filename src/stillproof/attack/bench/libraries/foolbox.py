"""Attacks of foolbox."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from stillproof.attack.base.norms import Norm
from stillproof.attack.bench.contestant import STEP, Contestant
from stillproof.attack.bench.metered import Metered
from stillproof.attack.foreign.installed import module_of

CARLINI_SEARCHES = 5


def foolbox(norm: Norm) -> list[Contestant]:
    """Return the attacks of foolbox that have a norm."""

    def call(attack: str, model: Metered, x: Tensor, y: Tensor, eps: float | None = None, **options: Any) -> None:
        library = module_of("foolbox", "")
        wrapped = library.PyTorchModel(model, bounds=(0, 1), device=str(x.device))
        built = getattr(module_of("foolbox", ".attacks"), attack)(**options)
        built.run(wrapped, x, library.criteria.Misclassification(y), **({} if eps is None else {"epsilon": eps}))

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
