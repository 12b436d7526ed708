"""The three sizes of suite dd-ranking; the published protocol is its defaults."""

from __future__ import annotations

from stillproof.core.presets import Preset

QUICK = {
    "scale": "quick",
    "dataset": ("digits",),
    "methods": ("random", "k-center", "dm", "rded", "sre2l"),
    "ipc": (10,),
    "seeds": 3,
    "network": ("home", "convnet-1-bn", "mlp"),
    "recipe": "quick",
    "full_recipe": "quick-real",
    "taught_epochs": 100,
    "teachers": ("home-bn", "convnet-2-bn"),
    "teacher_recipe": "teacher-quick",
    "noise": (1.0, 3.0),
}
SMOKE = QUICK | {
    "scale": "smoke",
    "methods": ("random", "rded"),
    "ipc": (1,),
    "seeds": 2,
    "network": ("home", "mlp"),
    "recipe": "smoke",
    "full_recipe": "smoke",
    "taught_epochs": 2,
    "teacher_recipe": "smoke",
    "noise": (1.0,),
    "budget": 2,
}
PRESETS = (Preset("paper", {"scale": "paper"}), Preset("quick", QUICK), Preset("smoke", SMOKE))
