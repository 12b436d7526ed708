"""The published parameters of IDM, which BACON took over, and those for small machines.

An ipc between two published ones takes the row of the smaller.
"""

from __future__ import annotations

from stillproof.core.presets import Preset
from stillproof.distill.imagenet_sets import IMAGENET

PUBLISHED = (
    Preset("paper", {"batch_real": 5000, "net_generate_interval": 5}, max_ipc=9),
    Preset("paper", {"ce_weight": 0.1, "forget_interval": 500}, min_ipc=50),
    Preset("paper", {"ce_weight": 0.1, "model_train_steps": 50}, datasets=("cifar100",), min_ipc=10),
    Preset("paper", {"batch_real": 256, "net_generate_interval": 30}, datasets=("tiny_imagenet",), max_ipc=9),
    Preset("paper", {"forget_interval": 500}, datasets=("tiny_imagenet",), min_ipc=10),
    Preset(
        "paper",
        {"ce_weight": 0.8, "model_train_steps": 50, "forget_interval": 1000},
        datasets=("tiny_imagenet",),
        min_ipc=50,
    ),
    # Published for a subset of ImageNet that is not among these, but is of their kind.
    Preset("paper", {"ce_weight": 3.0, "batch_real": 128, "batch_train": 128}, datasets=IMAGENET),
    Preset("paper", {"net_num": 50, "net_generate_interval": 50, "forget_interval": 200}, datasets=IMAGENET),
    Preset("paper", {"forget_interval": 1000}, datasets=IMAGENET, min_ipc=10),
    Preset("paper", {"net_num": 100, "forget_interval": 500, "form": "single"}, datasets=IMAGENET, min_ipc=50),
)

LAPTOP = (
    # Networks that are hardly trained are bad judges: their cross-entropy counts for less.
    Preset("quick", {"steps": 100, "batch_real": 64, "model_train_steps": 5, "batch_train": 64, "ce_weight": 0.05}),
    # A mean over more images moves each of them less, and there are few steps to make up for it.
    Preset("quick", {"lr": 5.0}, min_ipc=10),
    Preset("smoke", {"steps": 3, "batch_real": 8, "model_train_steps": 2, "batch_train": 8}),
    Preset("smoke", {"net_num": 4, "net_generate_interval": 2, "forget_interval": 2}),
)
