"""The numbers that DD-Ranking published, as printed: in percent and points."""

from __future__ import annotations

PAPER = "DD-Ranking, arXiv:2505.13300"
SIZES = (1, 10, 50)  # images per class

# HLR, IOR and LRS on CIFAR-10 at those sizes.
TABLE_3 = {
    "dc": ((52.7, 12.4, 19.1), (36.7, 18.5, 23.2), (26.3, 12.3, 24.0)),
    "dsa": ((58.9, 13.2, 18.2), (35.1, 19.6, 23.7), (27.4, 11.0, 23.5)),
    "mtt": ((42.2, 27.6, 23.9), (23.7, 30.9, 28.4), (16.5, 20.5, 27.8)),
    "dm": ((61.4, 8.7, 17.0), (39.4, 16.1, 22.2), (25.1, 12.7, 24.3)),
    "datadam": ((49.9, 15.6, 20.0), (34.8, 19.9, 23.8), (21.9, 15.8, 25.6)),
    "sre2l": ((69.9, -0.3, 14.3), (67.8, -5.7, 13.8), (62.9, -6.5, 14.4)),
    "rded": ((60.6, 2.4, 16.2), (50.7, 1.1, 17.6), (36.0, -1.6, 19.6)),
}
# What it was measured with there; ConvNet-3 otherwise.
NETWORKS = {"sre2l": "resnet-18-bn", "rded": "convnet-3-bn"}
CONVNET = "convnet-3"
# Recipes that are the published ones, and the epochs that such a reference names, where it must.
RECIPES = {"dc-bench-dsa": "1000", "rded": None, "sre2l": None}

# On ImageNet-1K: ARS at those sizes, and at 10 images per class also IOR without and with augmentation.
TABLE_7_NETWORK = "resnet-18-bn-imagenet"
TABLE_7_ARS = {"sre2l": (26.3, 22.9, 20.2), "rded": (27.4, 28.1, 26.7)}
TABLE_7_IOR = {"sre2l": (-4.4, -15.6), "rded": (5.6, -0.6)}

# Printed scores that the paper's own formula does not give, and what it gives.
MISPRINTED_LRS = {("datadam", 1): 20.2}
MISPRINTED_ARS = {("rded", 10): 28.0, ("rded", 50): 26.6}
