"""Attacks of torchattacks."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from stillproof.attack.base.norms import Norm
from stillproof.attack.bench.contestant import STEP, Contestant
from stillproof.attack.bench.metered import Metered
from stillproof.attack.foreign.installed import module_of


def torchattacks(norm: Norm) -> list[Contestant]:
    """Return the attacks of torchattacks that have a norm."""

    def call(attack: str, model: Metered, x: Tensor, y: Tensor, **options: Any) -> None:
        getattr(module_of("torchattacks", ""), attack)(model, **options)(x, y)

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
        Contestant(
            "square",
            "torchattacks",
            within=lambda m, x, y, n, eps: call("Square", m, x, y, norm=norm, eps=eps, n_queries=n),
        ),
    ]
    if norm == "L2":
        found.append(Contestant("cw", "torchattacks", lambda m, x, y, n: call("CW", m, x, y, steps=n // 2)))
        found.append(Contestant("deepfool", "torchattacks", lambda m, x, y, n: call("DeepFool", m, x, y)))
    return found
