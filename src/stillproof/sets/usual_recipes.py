"""The recipes of sets where nothing else is said. A file of its own, because cells are named by the files behind them.

What builds recipes names methods, which must not be behind whoever only asks for a name.
"""

from __future__ import annotations

from stillproof.core.dsa_strategy import WITH_FLIP

DEFAULT_RECIPE = "dc-bench"
AUGMENTED_RECIPE = "dc-bench-dsa"
# Learned labels are values of a regression, no probabilities. The original trains on them by squared error, at the
# largest step size that is stable; squared errors are small, so that the usual one would hardly move a network.
LEARNED_LABELS = "dc-bench:objective=mse:lr=0.1"


def dc_recipe(dataset: str, *, batch_norm: bool) -> str:
    """Return how DC's authors train: with an augmentation, and longer, on MNIST and wherever there is batch norm."""
    if batch_norm:
        return f"{AUGMENTED_RECIPE}:augment=dc-aug(strategy=crop_noise)"
    return f"{AUGMENTED_RECIPE}:augment=dc-aug" if dataset == "mnist" else DEFAULT_RECIPE


def dsa_recipe(strategy: str) -> str:
    """Return how methods that distil under DSA train: with the same changes."""
    return AUGMENTED_RECIPE if strategy == WITH_FLIP else f"{AUGMENTED_RECIPE}:augment=dsa(strategy={strategy})"


def datadam_recipe(strategy: str) -> str:
    """Return how DataDAM's authors train.

    For 1800 epochs in batches of 64; like DC-Bench their loop counts that far inclusive and drops the step size midway.
    """
    return f"{dsa_recipe(strategy)}:epochs=1801:decay_epochs=902:batch=64"
