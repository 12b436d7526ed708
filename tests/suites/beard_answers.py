"""Answered rows of beard by hand: those of BACON, as the logs that BEARD ships have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stillproof.report.answers import Answered

# BACON on CIFAR-10, targeted, by images per class: clean accuracy and those under FGSM, PGD, PGD in L2 and C&W, in
# percent, then the seconds of the same, of whole passes; from the logs that BEARD ships.
ACCURACY = {
    1: (44.95, (29.59, 30.61, 33.73, 36.58)),
    10: (61.73, (39.13, 40.10, 44.06, 44.93)),
    50: (69.95, (44.68, 45.59, 50.81, 44.71)),
}
SECONDS = {
    1: (2.50, (3.01, 8.52, 8.71, 73.94)),
    10: (3.06, (2.85, 8.32, 8.50, 73.75)),
    50: (3.04, (3.01, 11.96, 12.22, 75.82)),
}
ATTACKS = ("fgsm", "pgd", "pgd-l2", "cw")


def row(
    ipc: int | None, measure: str, answers: Sequence[dict[str, Any] | None], attack: str | None, **keys: Any
) -> Answered:
    usual = {"section": "scores", "dataset": "cifar10", "method": "bacon", "network": "convnet-3", "home": "convnet-3"}
    rules = {"recipe": "beard", "protocol": "faithful", "selection": "last", "scale": "paper", "defence": ""}
    said = {"ipc": ipc, "measure": measure, "attack": attack, "mode": "targeted"}
    return Answered({**usual, **rules, **said, **keys}, answers, ["it went off"] * (None in answers))


def bacon(*, seeds: int = 1, **keys: Any) -> list[Answered]:
    found = []
    for ipc, (clean, under) in ACCURACY.items():
        clean_seconds, seconds = SECONDS[ipc]
        for number, attack in enumerate(ATTACKS):
            left = under[number] / 100
            answer = {"n": 10_000, "clean_accuracy": clean / 100, "robust_accuracy": left, "success_rate": 0.2}
            answer |= {"passes_to_success": 3.0 + number}
            alone = seconds[number] - clean_seconds  # the logs have the time of whole passes
            time = {"images": 10_000, "clean_seconds": clean_seconds, "seconds": alone}
            found += [row(ipc, "accuracy", [answer] * seeds, attack, **keys)]
            found += [row(ipc, "time", [time] * seeds, attack, **keys)]
        worst = {"n": 10_000, "clean_accuracy": clean / 100, "robust_accuracy": 0.2}
        found.append(row(ipc, "worst", [worst] * seeds, None, **keys))
    return found
