"""The three sizes of suite beard; the published protocol is its defaults."""

from __future__ import annotations

from stillproof.core.presets import Preset

QUICK = {
    "scale": "quick",
    "dataset": ("digits",),
    "methods": ("random", "k-center", "herding", "dm"),
    "ipc": (1, 10),
    "seeds": 3,
    "recipe": "quick",
    "full_recipe": "quick-real",
    "attacks": ("fgsm", "pgd", "pgd-l2", "deepfool"),  # AutoAttack and C&W take minutes for each model
    "targeted_attacks": ("fgsm", "pgd", "pgd-l2"),
    "curve_steps": 30,
    "defences": ("pgd-at",),
    "steps": (1, 10),
    "limit": 100,
    "timed": 100,
}
SMOKE = QUICK | {
    "scale": "smoke",
    "methods": ("random", "dm"),
    "ipc": (1,),
    "seeds": 2,
    "recipe": "smoke",
    "full_recipe": "smoke",
    "attacks": ("fgsm", "pgd:steps=2", "deepfool:steps=2"),
    "targeted_attacks": ("fgsm", "pgd:steps=2"),
    "curve_steps": 5,
    "steps": (1, 2),
    "limit": 40,
    "timed": 20,
}
PRESETS = (Preset("paper", {"scale": "paper"}), Preset("quick", QUICK), Preset("smoke", SMOKE))
