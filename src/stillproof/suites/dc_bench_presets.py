"""The three sizes of suite dc-bench; the published protocol is its defaults."""

from __future__ import annotations

from stillproof.core.presets import Preset

QUICK = {
    "scale": "quick",
    "dataset": ("digits",),
    "methods": ("random", "k-center", "herding", "dm"),
    "ipc": (10,),
    "seeds": 3,
    "network": ("convnet-3", "mlp", "lenet", "alexnet", "vit"),
    "recipe": "quick",
    "augmented_recipe": "quick",
    "full_recipe": "quick-real",
    "compression_ipc": (1, 2, 5, 10, 20, 50),
    "large_network": "resnet-18",
    "large_ipc": (1, 10, 50),
    "search_spaces": ("convnet",),
    "architectures": 10,
    "search_ipc": 10,
    "search_seeds": 1,
    "search_recipe": "nas-search:epochs=20",
    "search_full_recipe": "nas-search:epochs=2",
    "truth_recipe": "quick-real",
    "init_methods": ("dm:steps=150",),
}
SMOKE = QUICK | {
    "scale": "smoke",
    "methods": ("random", "dm"),
    "ipc": (1,),
    "seeds": 2,
    "network": ("convnet-3", "mlp"),
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
    "init_ipc": 1,
    "cost_steps": 2,
}
PRESETS = (Preset("paper", {"scale": "paper"}), Preset("quick", QUICK), Preset("smoke", SMOKE))
