"""The three sizes of suite dc-bench; the published protocol is its defaults."""

from __future__ import annotations

from stillproof.core.presets import Preset

QUICK = {
    "scale": "quick",
    "dataset": ("digits",),
    "methods": ("random", "k-center", "herding", "dm"),
    "ipc": (10,),
    "seeds": 3,
    "network": ("home", "convnet-2", "convnet-3", "mlp", "vit:width=64:depth=2:heads=2"),
    "recipe": "quick",
    "augmented_recipe": "quick",
    "full_recipe": "quick-real",
    "augmentations": ("none", "imagenet-aug", "rand-augment", "auto-augment", "dsa"),
    "compression_ipc": (1, 2, 5, 10),
    "large_network": "",  # takes too long without a GPU
    "search_spaces": ("nas201",),
    "architectures": 8,
    "search_ipc": 10,
    "search_seeds": 1,
    "search_recipe": "nas-search:epochs=20",
    "search_full_recipe": "nas-search:epochs=5",
    "truth_recipe": "quick-real:epochs=5",
    "init_methods": ("dm:steps=60",),
    "init_ipc": 1,
}
SMOKE = QUICK | {
    "scale": "smoke",
    "methods": ("random", "dm"),
    "ipc": (1,),
    "seeds": 2,
    "network": ("home", "mlp"),
    "recipe": "smoke",
    "augmented_recipe": "smoke",
    "full_recipe": "smoke",
    "augmentations": ("none", "dsa", "mixup"),
    "compression_ipc": (1, 2),
    "large_network": "mlp",
    "large_ipc": (1,),
    "architectures": 3,
    "search_ipc": 1,
    "search_recipe": "smoke",
    "search_full_recipe": "smoke",
    "truth_recipe": "smoke",
    "init_methods": ("dm:steps=3",),
    "cost_steps": 2,
}
PRESETS = (Preset("paper", {"scale": "paper"}), Preset("quick", QUICK), Preset("smoke", SMOKE))
