"""Attacks of adv-lib."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from stillproof.attack.base.norms import ORDERS, Norm
from stillproof.attack.bench.contestant import Contestant
from stillproof.attack.bench.metered import Metered
from stillproof.attack.foreign.installed import module_of


def adv_lib(norm: Norm) -> list[Contestant]:
    """Return the attacks of adv-lib that have a norm."""
    order = ORDERS[norm]
    found = [
        Contestant("fmn", "adv-lib", lambda m, x, y, n: _call("fmn", m, x, y, norm=order, steps=n // 2)),
        Contestant(
            "apgd-dlr",
            "adv-lib",
            within=lambda m, x, y, n, eps: _call(
                "apgd", m, x, y, norm=order, eps=eps, n_iter=max(1, (n - 2) // 2), loss_function="dlr"
            ),
        ),
    ]
    found += [_fab(order, aims=False), _fab(order, aims=True)]
    if norm == "L2":
        found.append(Contestant("ddn", "adv-lib", lambda m, x, y, n: _call("ddn", m, x, y, steps=n // 2, levels=None)))
    if norm != "L1":
        found.append(Contestant("deepfool", "adv-lib", lambda m, x, y, n: _call("df", m, x, y, norm=order)))
        found.append(
            Contestant(
                "apgd-t",
                "adv-lib",
                within=lambda m, x, y, n, eps: _call(
                    "apgd_targeted", m, x, y, norm=order, eps=eps, n_iter=max(1, n // (2 * (m.classes - 1)))
                ),
            )
        )
    if norm != "Linf":
        alma = {"L2": ("l2", 0.1), "L1": ("l1", 0.5)}[norm]
        found.append(
            Contestant(
                "alma",
                "adv-lib",
                lambda m, x, y, n: _call(
                    "alma", m, x, y, distance=alma[0], init_lr_distance=alma[1], num_steps=max(1, n // 2), α=0.9
                ),
            )
        )
    return found


def _fab(order: float, *, aims: bool) -> Contestant:
    """Return FAB, or FAB-T, which aims at each other class in turn."""

    def run(model: Metered, x: Tensor, y: Tensor, passes: int) -> None:
        # Of a step: the gradients of all logits, or one for each class; with a forward pass before and after.
        each = 3 * (model.classes - 1) if aims else model.classes + 2
        _call("fab", model, x, y, norm=order, targeted_restarts=aims, n_iter=max(1, passes // each))

    return Contestant("fab-t" if aims else "fab", "adv-lib", run)


def _call(attack: str, model: Metered, x: Tensor, y: Tensor, **options: Any) -> None:
    """Run one of its functions."""
    getattr(module_of("adv-lib", ".attacks"), attack)(model, x, y, **options)
